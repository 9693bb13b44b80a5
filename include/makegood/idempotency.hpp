// Idempotency keys: a repeated request counts once. What a key is, what a claim answers, and what is stored about it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"

namespace makegood {

/// Unique together. Over HTTP the scope has the route and the principal: an answer is never replayed to somebody else.
struct IdempotencyKey {
  std::string tenant_id = "default";
  std::string scope = {};
  std::string key = {};
  bool operator==(const IdempotencyKey&) const = default;
  auto operator<=>(const IdempotencyKey&) const = default;
};

/// What happens when the lease of a claim ends before its finish.
enum class AfterLease {
  take_over,  ///< The next claimer may begin anew. Right only where `finish` is part of the business transaction.
  hold,       ///< The key is in doubt until its finish, an operator's word, or the end of its time.
};

struct ClaimRequest {
  IdempotencyKey key = {};
  /// A digest of everything that makes two requests the same; see fingerprint_of.
  std::string fingerprint = {};
  /// How long the key is remembered, from the claim on and again from the finish on. At least one millisecond.
  Duration ttl = std::chrono::hours(24);
  /// How long the claimer may be silent; renew it meanwhile. At least one millisecond.
  Duration lease = std::chrono::seconds(30);
  AfterLease after_lease = AfterLease::hold;
  /// Drawn when it is empty. Who lost the answer to a claim asks again with its own token, and is told again that it is
  /// fresh.
  std::string token = {};
};

/// An answer to be given again. Headers are text in the form of their user, for example JSON.
struct Snapshot {
  int status = 0;
  std::string headers = {};
  std::string body = {};
  bool operator==(const Snapshot&) const = default;
};

/// What is stored with a finished key: a digest always, the answer itself by choice.
struct StoredResult {
  /// Empty: that of the snapshot is used. Public: never the raw result.
  std::string digest = {};
  std::optional<Snapshot> snapshot = {};
  /// The body was above the limit when it was stored, and is left out; status and headers are there.
  bool is_truncated = false;
  // Of one that was read.
  std::string sealed_by = {};  ///< The id of the key of its seal; empty: it is stored as it is.
  /// Why a sealed answer could not be opened here. Then it has its status and nothing else, and counts as truncated.
  std::string unopened = {};
  bool operator==(const StoredResult&) const = default;
};

enum class ClaimOutcome {
  fresh,        ///< The key is yours: do the work, then finish or fail with the token.
  hit,          ///< It was done before; `result` has what was stored.
  busy,         ///< Somebody is at work on it; ask again after `retry_after`.
  mismatch,     ///< The key was used with another fingerprint.
  in_doubt,     ///< Its owner fell silent, and nobody knows whether it was done.
  last_failed,  ///< It failed for good; `failure_code` says how.
};
std::string_view to_string(ClaimOutcome outcome);

struct ClaimAnswer {
  ClaimOutcome outcome = ClaimOutcome::fresh;
  std::string token = {};         ///< Of a fresh one.
  std::string failure_code = {};  ///< Of last_failed; of a fresh one, how the last try failed, if it did.
  bool is_taken_over = false;     ///< Of a fresh one: whoever had the key before fell silent.
  StoredResult result = {};       ///< Of a hit.
  Duration retry_after = {};      ///< Of a busy one.
};

/// Names the claim that a finish, a failure or a renewal belongs to.
struct ClaimToken {
  IdempotencyKey key = {};
  std::string token = {};
};

struct Failure {
  std::string code = {};  ///< A short text, for example `PAYMENT.DECLINED`.
  bool is_final = false;  ///< Kept: later claims get last_failed. Otherwise the next claim is fresh.
  bool operator==(const Failure&) const = default;
};

enum class KeyState { in_flight, succeeded, failed };
std::string_view to_string(KeyState state);
std::string_view to_string(AfterLease after_lease);

/// A key as it is stored.
struct KeyRecord {
  IdempotencyKey key = {};
  std::string fingerprint = {};
  KeyState state = KeyState::in_flight;
  std::string token = {};
  AfterLease after_lease = AfterLease::hold;
  TimePoint lease_until = {};
  TimePoint expires_at = {};
  TimePoint created_at = {};  ///< Of the first claim.
  TimePoint updated_at = {};
  Duration ttl = {};
  std::int64_t claims = 1;  ///< How often it was claimed.
  Failure failure = {};
  StoredResult result = {};
  bool operator==(const KeyRecord&) const = default;
};

/// A record and the store's clock when it was read.
struct KeyView {
  KeyRecord record = {};
  TimePoint now = {};
  /// What a claim with the same fingerprint would be told.
  ClaimOutcome outcome = ClaimOutcome::fresh;
};

struct ResultLimits {
  std::size_t digest_bytes_max = 4096;                     ///< Above it a finish is refused.
  std::size_t snapshot_bytes_max = std::size_t{64} << 10;  ///< Above it the body is left out, and marked so.
};

/// Stored answers under lock and key (AES-256-GCM): whoever reads the database learns their status and their length.
/// Used from any thread.
class Seal {
 public:
  virtual ~Seal() = default;
  /// Headers and body become one sealed text, which opens only for this key and this status.
  virtual Result<Snapshot> close(const Snapshot& answer, const IdempotencyKey& key) const = 0;
  /// Errc::config_invalid: it is under a key that is not known here. Errc::store_corrupt: it was changed, or belongs to
  /// another key.
  virtual Result<Snapshot> open(const Snapshot& sealed, const IdempotencyKey& key) const = 0;
};

/// From a file of lines `ID KEY` with 64 hexadecimal digits each. The first one seals, all of them open: a new key goes
/// on top, and an old one may go when the answers under it have expired. Errc::config_invalid: something is wrong with
/// it, or this library was built without seals.
Result<std::shared_ptr<const Seal>> read_seal(const std::string& file);
/// From such a text; errors name its `origin`.
Result<std::shared_ptr<const Seal>> parse_seal(std::string_view text, std::string_view origin);

/// How results are kept.
struct ResultStorage {
  ResultLimits limits = {};
  std::shared_ptr<const Seal> seal = {};  ///< Null: answers are stored as they are.
};

/// What makes two HTTP requests the same: SHA-256 over method, path, query, content type and the raw body, each with
/// its length, so that no two different requests give the same bytes.
struct RequestParts {
  std::string_view method;
  std::string_view path;
  std::string_view query = {};
  std::string_view content_type = {};
  std::string_view body = {};
};
std::string fingerprint_of(const RequestParts& request);

}  // namespace makegood
