#include "sim/idempotency_mutants.hpp"

#include <array>

namespace makegood::sim {
namespace {

constexpr auto bank_of_keys = std::to_array<Mutant>({
    {"select_then_insert", "a claim writes by what it saw before, without looking again", "I1, 000-13"},
    {"fingerprint_ignored", "a key answers whatever comes with it", "I6, 000-14"},
    {"no_claim_lease", "a key in flight stays so until its time ends", "I3, 000-15"},
    {"finished_by_key", "a finish names the key and not the claim", "I4, 000-16"},
    {"zero_rows_ignored", "an effect is committed although its finish found nothing", "000-16"},
    {"failed_by_key", "a failure names the key and not the claim", "000-16"},
    {"renewed_by_key", "a renewal names the key and not the claim", "I4"},
    {"finished_twice", "a transaction whose commit was in doubt is repeated with its old token", "attack"},
    {"failed_after_finish", "a key that was finished can still fail", "attack"},
    {"ttl_not_applied", "the time of a key is stored and never ends it", "000-17"},
    {"result_not_stored", "what was done cannot be told again", "000-18"},
    {"failure_is_final", "a passing failure is kept for good", "I7, 000-19"},
    {"failure_is_hit", "a failure is answered as if it were a result", "I7"},
    {"hold_is_taken_over", "a key in doubt is given to the next who asks", "I4"},
    {"acts_after_its_lease", "an owner acts without asking whether the key is still its own", "I4"},
    {"resolved_while_live", "an operator decides about a key that somebody works on", "attack"},
    {"finish_does_not_extend", "a key's time counts from the claim, whenever it was finished", "I9"},
    {"purge_by_age", "keys are purged by when they were made", "I9"},
    {"purge_of_the_silent", "a purge takes the key of an owner who is silent", "I9"},
    {"tenants_share_keys", "a tenant gets what another has stored", "I11"},
});

}  // namespace

std::span<const Mutant> key_mutants() { return bank_of_keys; }

}  // namespace makegood::sim
