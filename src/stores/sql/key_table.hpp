// Idempotency keys on one connection, in whatever transaction is open there: the store's own or the caller's.
#pragma once

#include <functional>
#include <span>

#include "base/key_rules.hpp"
#include "base/sealed_result.hpp"
#include "makegood/id.hpp"
#include "stores/sql/database.hpp"
#include "stores/sql/key_statements.hpp"

namespace makegood::relational {

class KeyTable {
 public:
  struct World {
    const Clock* clock = nullptr;  ///< Null: the database's own.
    Ids* ids = nullptr;            ///< For tokens; never null.
    ResultStorage storage = {};
    /// A transaction is open, and nothing here begins or ends one.
    bool is_borrowed = false;
  };
  /// The database must outlive it.
  KeyTable(Database& database, const KeyStatements& statements, const World& world)
      : database_(database), sql_(statements), world_(world) {}

  /// The same where a transaction of ours is open already.
  KeyTable within_transaction() const {
    World within = world_;
    within.is_borrowed = true;
    return {database_, sql_, within};
  }

  /// An answer for each, in the same order.
  std::vector<Result<ClaimAnswer>> claim(std::span<const ClaimRequest> requests);
  Result<ClaimAnswer> once(const ClaimRequest& request, const StoredResult& result);
  Result<TimePoint> renew(const ClaimToken& claim, Duration lease);
  /// Errc::fenced unless it is in flight with this very token.
  Result<> finish(const ClaimToken& claim, const StoredResult& result);
  /// All in one transaction; an answer for each, as of `finish`.
  Result<std::vector<Result<>>> finish(std::span<const Finish> finishes);
  Result<> fail(const ClaimToken& claim, const Failure& failure);

  struct Looked {
    TimePoint now;
    std::optional<KeyRecord> record;
  };
  Result<Looked> look(const IdempotencyKey& key);
  Result<std::vector<KeyView>> list(const KeyFilter& filter, const IdempotencyKey& after, std::size_t rows_max);
  Result<KeyCounts> count(const KeyFilter& filter);
  /// False: it is not there, or somebody is at work on it.
  Result<bool> forget(const IdempotencyKey& key);
  Result<bool> resolve(const IdempotencyKey& key, bool was_done, const StoredResult& result);
  Result<std::size_t> purge(Duration grace, std::size_t rows_max);
  /// Whether the record was finished with this very result.
  bool has_result(const KeyRecord& record, const StoredResult& result) const {
    return came_from(record.result, result, world_.storage);
  }

 private:
  struct Wanted;
  using Batch = std::vector<Wanted*>;

  std::optional<TimePoint> clock_now() const;
  /// Of the row that is read, with its answer as it was given.
  KeyRecord read(const Rows& rows) const;
  /// Runs a statement that writes, in a transaction of its own unless one is open, and reads all its rows.
  Result<> write(const Step& step, const std::function<void(Rows&)>& read);
  Result<bool> write_one(const Step& step);
  // Each answers which of them were in flight with this very token.
  Result<std::vector<bool>> finish_at_once(std::span<const Finish> stored);
  Result<std::vector<bool>> finish_in_turn(std::span<const Finish> stored);

  void claim_all(Batch batch);
  Result<Batch> claim_round(const Batch& batch);
  Result<std::vector<Looked>> look(const Batch& batch);
  Result<> take(const Batch& batch);

  Database& database_;
  const KeyStatements& sql_;
  const World world_;
};

}  // namespace makegood::relational
