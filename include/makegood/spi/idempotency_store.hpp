// The seam of a store for idempotency keys.
#pragma once

#include <span>
#include <utility>

#include "makegood/idempotency.hpp"

namespace makegood {

struct KeyFilter {
  std::optional<std::string> tenant_id = {};
  std::optional<std::string> scope = {};
  /// Only those that a claim would be told to be in doubt.
  bool is_in_doubt = false;
};

struct KeyCounts {
  std::int64_t in_flight = 0, succeeded = 0, failed = 0, in_doubt = 0, expired = 0;
};

/// One finish of a batch.
struct Finish {
  ClaimToken claim = {};
  StoredResult result = {};
};

/// The keys and the inbox of one store. Each call is a transaction of its own, durable when it returns. One thread at a
/// time per object.
class IdempotencyStore {
 public:
  virtual ~IdempotencyStore() = default;
  /// Creates or upgrades the tables.
  virtual Result<> migrate() = 0;
  /// Two connections that write wait for each other.
  virtual bool has_one_writer() const { return true; }

  /// One commit for all. An answer for each, in the same order; a hit writes nothing. A key that is in it twice is
  /// claimed once: the second is busy.
  virtual std::vector<Result<ClaimAnswer>> claim(std::span<const ClaimRequest> requests) = 0;
  /// One commit for all. Errc::fenced for those whose token is stale. The same finish again is no error.
  virtual std::vector<Result<>> finish(std::span<const Finish> finishes) = 0;
  /// Errc::fenced when the token is stale. Answers until when it is extended.
  virtual Result<TimePoint> renew(const ClaimToken& claim, Duration lease) = 0;
  /// Errc::fenced when the token is stale. The same failure again is no error.
  virtual Result<> fail(const ClaimToken& claim, const Failure& failure) = 0;

  /// Nothing: there is no such key, or its time is over. Writes nothing.
  virtual Result<std::optional<KeyView>> look_up(const IdempotencyKey& key) = 0;
  /// In the order of keys, beginning after `after`.
  virtual Result<std::vector<KeyView>> list(const KeyFilter& filter, const IdempotencyKey& after,
                                            std::size_t rows_max) = 0;
  virtual Result<KeyCounts> count(const KeyFilter& filter) = 0;
  /// Errc::idempotent_busy while somebody is at work on it; Errc::not_found. What it had answered is forgotten.
  virtual Result<> forget(const IdempotencyKey& key) = 0;
  /// An operator's word on a key in doubt: done is a hit from now on, not done is fresh again. The token is changed, so
  /// that its former owner is fenced. Errc::idempotent_busy, Errc::not_found, Errc::conflict where nothing is in doubt.
  virtual Result<> resolve(const IdempotencyKey& key, bool was_done, const StoredResult& result = {}) = 0;
  /// Deletes keys whose time has been over for `grace`, at most so many; answers how many it deleted.
  virtual Result<std::size_t> purge(Duration grace, std::size_t rows_max) = 0;

  /// Forgets events of the inbox whose time lies further back than this, of every consumer, at most so many each;
  /// answers how many.
  virtual Result<std::size_t> purge_inbox(Duration retention, std::size_t rows_max) = 0;

  // One at a time.
  Result<ClaimAnswer> claim(const ClaimRequest& request) { return std::move(claim({&request, 1}).front()); }
  Result<> finish(const ClaimToken& claim, const StoredResult& result = {}) {
    const Finish one{claim, result};
    return std::move(finish({&one, 1}).front());
  }

  // The simple form, by the names of the source documents: one scope, a digest for a result.

  /// A handle with the token when the key is new; a digest when it was finished before.
  /// Errc::idempotent_busy, Errc::idempotent_mismatch, Errc::idempotent_last_failed, Errc::in_doubt otherwise.
  struct Put {
    std::optional<ClaimToken> handle = {};
    std::string digest = {};
  };
  Result<Put> check_and_put(std::string_view tenant, std::string_view key, std::string_view hash, Duration ttl);
};

/// The error that says what a claim was told, for callers that only go on when it is fresh or a hit.
Error error_of(const ClaimAnswer& answer);

/// From a URL as in open_store; `schema` is PostgreSQL's, empty: whatever the search path says. It is migrated before
/// it is handed out, unless `migrate` is false.
Result<std::unique_ptr<IdempotencyStore>> open_idempotency_store(std::string_view url, std::string_view schema = {},
                                                                 bool migrate = true,
                                                                 const ResultStorage& storage = {});

/// Their tables on this kind of store, as a script to read or to hand to another tool.
Result<std::string> idempotency_migration_script(std::string_view url, std::string_view schema = {});
/// Drops their tables, with all keys and events in them.
Result<> migrate_idempotency_down(std::string_view url, std::string_view schema = {});

}  // namespace makegood
