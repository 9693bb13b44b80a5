#include "sim/idempotency_model.hpp"

#include <algorithm>

#include "core/mutant.hpp"

namespace makegood::sim {
namespace {

using core::is_mutant;

/// The record as a mistaken store would read it.
KeyRecord mistaken(KeyRecord record, const ClaimRequest& request) {
  if (is_mutant("fingerprint_ignored")) record.fingerprint = request.fingerprint;
  if (is_mutant("no_claim_lease") && record.state == KeyState::in_flight) record.lease_until = TimePoint::max();
  if (is_mutant("ttl_not_applied")) record.expires_at = TimePoint::max();
  if (is_mutant("hold_is_taken_over")) record.after_lease = AfterLease::take_over;
  if (is_mutant("failure_is_final")) record.failure.is_final = true;
  if (is_mutant("failure_is_hit") && record.state == KeyState::failed) record.state = KeyState::succeeded;
  return record;
}

void expire_after(KeyRecord& record, Duration time, TimePoint now) {
  record.expires_at = std::max(record.expires_at, now + time);
}

}  // namespace

IdempotencyKey KeyModel::stored(const IdempotencyKey& key) {
  IdempotencyKey stored = key;
  if (is_mutant("tenants_share_keys")) stored.tenant_id = "";
  return stored;
}

std::optional<KeyRecord> KeyModel::look(const IdempotencyKey& key) const {
  const auto found = records_.find(stored(key));
  return found != records_.end() ? std::optional(found->second) : std::nullopt;
}

ClaimAnswer KeyModel::answer(const std::optional<KeyRecord>& seen, const ClaimRequest& request, TimePoint now) {
  return seen ? answer_of(mistaken(*seen, request), request, now) : ClaimAnswer();
}

bool KeyModel::take(const ClaimRequest& request, const std::optional<KeyRecord>& seen, TimePoint now) {
  const std::optional<KeyRecord> there = is_mutant("select_then_insert") ? seen : look(request.key);
  const bool is_takeable =
      !there || outcome_of(mistaken(*there, request), request.fingerprint, now) == ClaimOutcome::fresh;
  if (!is_takeable) return false;
  records_[stored(request.key)] = {.key = request.key,
                                   .fingerprint = request.fingerprint,
                                   .token = request.token,
                                   .after_lease = request.after_lease,
                                   .lease_until = now + request.lease,
                                   .expires_at = now + std::max(request.ttl, request.lease),
                                   .created_at = now,
                                   .updated_at = now,
                                   .ttl = request.ttl};
  return true;
}

KeyRecord* KeyModel::in_flight(const ClaimToken& claim) {
  const auto found = records_.find(stored(claim.key));
  if (found == records_.end()) return nullptr;
  KeyRecord& record = found->second;
  const bool is_same = record.token == claim.token;
  return is_same && record.state == KeyState::in_flight ? &record : nullptr;
}

bool KeyModel::renew(const ClaimToken& claim, Duration lease, TimePoint now) {
  KeyRecord* record = in_flight(claim);
  const auto any = records_.find(stored(claim.key));
  if (is_mutant("renewed_by_key") && any != records_.end()) record = &any->second;
  if (record == nullptr) return false;
  record->lease_until = now + lease;
  expire_after(*record, lease, now);
  return true;
}

bool KeyModel::finish(const ClaimToken& claim, const StoredResult& result, TimePoint now) {
  KeyRecord* record = in_flight(claim);
  const auto any = records_.find(stored(claim.key));
  if (is_mutant("finished_by_key") && any != records_.end()) record = &any->second;
  if (is_mutant("finished_twice") && any != records_.end() && any->second.token == claim.token) record = &any->second;
  if (record == nullptr) return false;
  record->state = KeyState::succeeded;
  record->result = is_mutant("result_not_stored") ? StoredResult() : result;
  if (!is_mutant("finish_does_not_extend")) expire_after(*record, record->ttl, now);
  return true;
}

bool KeyModel::fail(const ClaimToken& claim, const Failure& failure, TimePoint now) {
  KeyRecord* record = in_flight(claim);
  const auto any = records_.find(stored(claim.key));
  if (is_mutant("failed_by_key") && any != records_.end()) record = &any->second;
  if (is_mutant("failed_after_finish") && any != records_.end() && any->second.token == claim.token) {
    record = &any->second;
  }
  if (record == nullptr) return false;
  record->state = KeyState::failed;
  record->failure = failure;
  expire_after(*record, record->ttl, now);
  return true;
}

bool KeyModel::resolve(const IdempotencyKey& key, bool was_done, const StoredResult& result, const std::string& token,
                       TimePoint now) {
  const auto found = records_.find(stored(key));
  if (found == records_.end()) return false;
  KeyRecord& record = found->second;
  const bool is_doubtful = outcome_of(record, record.fingerprint, now) == ClaimOutcome::in_doubt;
  const bool is_mistaken = is_mutant("resolved_while_live") && record.state == KeyState::in_flight;
  if (!is_doubtful && !is_mistaken) return false;
  record.state = was_done ? KeyState::succeeded : KeyState::failed;
  record.token = token;
  record.result = result;
  expire_after(record, record.ttl, now);
  return true;
}

std::size_t KeyModel::purge(Duration grace, TimePoint now) {
  return std::erase_if(records_, [&](const auto& entry) {
    const KeyRecord& record = entry.second;
    if (is_mutant("purge_by_age")) return record.created_at + record.ttl <= now;
    if (is_mutant("purge_of_the_silent") && !is_live(record, now) && record.state == KeyState::in_flight) return true;
    return record.expires_at + grace < now && !is_live(record, now);
  });
}

}  // namespace makegood::sim
