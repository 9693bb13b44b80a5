// What a stored idempotency key means: one rule for every store, in the words of the SQL that repeats it
// (stores/sql/key_takeover.sql).
#pragma once

#include "makegood/spi/idempotency_store.hpp"

namespace makegood {

inline constexpr std::size_t key_bytes_max = 255;
inline constexpr std::size_t scope_bytes_max = 255;
inline constexpr std::size_t fingerprint_bytes_max = 128;
inline constexpr std::size_t token_bytes_max = 128;
inline constexpr std::size_t failure_code_bytes_max = 100;
inline constexpr Duration ttl_max = std::chrono::hours(24 * 366 * 10);

/// Somebody is at work on it.
bool is_live(const KeyRecord& record, TimePoint now);
/// As if it were not there. A claim that is live is never over, whatever its time says.
bool is_over(const KeyRecord& record, TimePoint now);

/// What a claim with this fingerprint is told. Fresh: it may take the key.
ClaimOutcome outcome_of(const KeyRecord& record, std::string_view fingerprint, TimePoint now);
/// The whole answer, but for the token of a fresh one.
ClaimAnswer answer_of(const KeyRecord& record, const ClaimRequest& request, TimePoint now);
/// It is this very claim, whose answer was lost.
bool is_same_claim(const KeyRecord& record, const ClaimRequest& request);
KeyView view_of(KeyRecord record, TimePoint now);

/// Errc::invalid: something is missing, too long, or no text.
Result<> check_key(const IdempotencyKey& key);
Result<> check_claim(const ClaimRequest& request);
Result<> check_failure(const Failure& failure);
/// As it is stored: with a digest, and without a body that is above the limit.
Result<StoredResult> bounded(StoredResult result, const ResultLimits& limits);

/// The failure of a key that an operator has said not to be done.
inline constexpr std::string_view resolved_as_not_done = "RESOLVED.NOT_DONE";

Error stale_token();
Error no_such_key();
Error key_is_busy();
Error nothing_in_doubt();

}  // namespace makegood
