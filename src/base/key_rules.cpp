#include "base/key_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.hpp"
#include "base/utf8.hpp"

namespace makegood {
namespace {

/// A text that every store keeps as it is, and every terminal shows as it is.
bool is_plain_text(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.bytes == 0 || is_control(character.value)) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

Result<> check_key_text(std::string_view what, std::string_view text, std::size_t bytes_max,
                        bool may_be_empty = false) {
  if (text.empty() && !may_be_empty) {
    return Error{Errc::invalid, fmt::format("The {} of an idempotency key must not be empty.", what)};
  }
  if (text.size() <= bytes_max && is_plain_text(text)) return {};
  return Error{
      Errc::invalid,
      fmt::format("The {} of an idempotency key must be UTF-8 without control characters, of at most {} bytes.", what,
                  bytes_max)};
}

Result<> check_claim_time(std::string_view what, Duration time) {
  if (time >= std::chrono::milliseconds(1) && time <= ttl_max) return {};
  return Error{Errc::invalid, fmt::format("The {} of a claim must be from one millisecond to ten years.", what)};
}

std::string digest_of_snapshot(const Snapshot& snapshot) {
  return long_digest(fmt::format("{}\n{}\n{}\n{}{}", snapshot.status, snapshot.headers.size(), snapshot.body.size(),
                                 snapshot.headers, snapshot.body));
}

std::size_t snapshot_bytes(const Snapshot& snapshot) { return snapshot.headers.size() + snapshot.body.size(); }

}  // namespace

bool is_live(const KeyRecord& record, TimePoint now) {
  return record.state == KeyState::in_flight && record.lease_until > now;
}

bool is_over(const KeyRecord& record, TimePoint now) { return !is_live(record, now) && record.expires_at <= now; }

ClaimOutcome outcome_of(const KeyRecord& record, std::string_view fingerprint, TimePoint now) {
  if (is_over(record, now)) return ClaimOutcome::fresh;
  if (record.fingerprint != fingerprint) return ClaimOutcome::mismatch;
  switch (record.state) {
    case KeyState::succeeded:
      return ClaimOutcome::hit;
    case KeyState::failed:
      return record.failure.is_final ? ClaimOutcome::last_failed : ClaimOutcome::fresh;
    case KeyState::in_flight:
      if (is_live(record, now)) return ClaimOutcome::busy;
      return record.after_lease == AfterLease::take_over ? ClaimOutcome::fresh : ClaimOutcome::in_doubt;
  }
  std::unreachable();
}

bool is_same_claim(const KeyRecord& record, const ClaimRequest& request) {
  return record.state == KeyState::in_flight && !request.token.empty() && record.token == request.token &&
         record.fingerprint == request.fingerprint;
}

ClaimAnswer answer_of(const KeyRecord& record, const ClaimRequest& request, TimePoint now) {
  if (is_same_claim(record, request)) return {.outcome = ClaimOutcome::fresh, .token = record.token};
  ClaimAnswer answer{.outcome = outcome_of(record, request.fingerprint, now)};
  if (answer.outcome == ClaimOutcome::hit) answer.result = record.result;
  answer.is_taken_over =
      answer.outcome == ClaimOutcome::fresh && record.state == KeyState::in_flight && !is_over(record, now);
  if (answer.outcome == ClaimOutcome::busy) answer.retry_after = record.lease_until - now;
  const bool has_failed =
      answer.outcome == ClaimOutcome::last_failed || (answer.outcome == ClaimOutcome::fresh && !is_over(record, now));
  if (has_failed) answer.failure_code = record.failure.code;
  return answer;
}

KeyView view_of(KeyRecord record, TimePoint now) {
  const ClaimOutcome outcome = outcome_of(record, record.fingerprint, now);
  return {.record = std::move(record), .now = now, .outcome = outcome};
}

Result<> check_key(const IdempotencyKey& key) {
  MAKEGOOD_TRY(check_key_text("tenant", key.tenant_id, scope_bytes_max));
  MAKEGOOD_TRY(check_key_text("scope", key.scope, scope_bytes_max, true));
  return check_key_text("text", key.key, key_bytes_max);
}

Result<> check_claim(const ClaimRequest& request) {
  MAKEGOOD_TRY(check_key(request.key));
  MAKEGOOD_TRY(check_key_text("fingerprint", request.fingerprint, fingerprint_bytes_max));
  MAKEGOOD_TRY(check_key_text("token", request.token, token_bytes_max, true));
  MAKEGOOD_TRY(check_claim_time("time to live", request.ttl));
  return check_claim_time("lease", request.lease);
}

Result<> check_failure(const Failure& failure) {
  return check_key_text("failure code", failure.code, failure_code_bytes_max);
}

Result<StoredResult> bounded(StoredResult result, const ResultLimits& limits) {
  if (result.digest.empty() && result.snapshot) result.digest = digest_of_snapshot(*result.snapshot);
  if (result.digest.size() > limits.digest_bytes_max) {
    return Error{Errc::payload_too_large,
                 fmt::format("The digest of a result is above {} bytes; nothing was stored.", limits.digest_bytes_max)};
  }
  MAKEGOOD_TRY(check_key_text("result digest", result.digest, limits.digest_bytes_max, true));
  if (!result.snapshot || snapshot_bytes(*result.snapshot) <= limits.snapshot_bytes_max) return result;
  result.is_truncated = true;
  result.snapshot->body.clear();
  if (snapshot_bytes(*result.snapshot) > limits.snapshot_bytes_max) result.snapshot->headers.clear();
  return result;
}

Error stale_token() {
  return {Errc::fenced,
          "The claim is stale: its key was taken over, ended or forgotten. What was done must not count."};
}

Error no_such_key() { return {Errc::not_found, "There is no such idempotency key, or its time is over."}; }

Error key_is_busy() {
  return {Errc::idempotent_busy, "Somebody is at work on this idempotency key; wait until its lease is over."};
}

Error nothing_in_doubt() {
  return {Errc::conflict, "Nothing is in doubt about this idempotency key; look it up to see what is known."};
}

}  // namespace makegood
