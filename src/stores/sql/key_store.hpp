// The store of idempotency keys and of the inbox over a connection of its own, the same on every relational database.
#pragma once

#include "stores/sql/inbox_table.hpp"
#include "stores/sql/key_table.hpp"

namespace makegood::relational {

class KeyStore final : public IdempotencyStore {
 public:
  using Migrate = std::function<Result<>()>;
  KeyStore(std::unique_ptr<Database> connection, const KeyStatements& statements, const KeyTable::World& world,
           Migrate migrate)
      : connection_(std::move(connection)),
        keys_(*connection_, statements, world),
        inbox_(*connection_, statements, world.clock),
        migrate_(std::move(migrate)) {}

  Result<> migrate() override { return migrate_(); }
  bool has_one_writer() const override { return connection_->has_one_writer(); }
  std::vector<Result<ClaimAnswer>> claim(std::span<const ClaimRequest> requests) override;
  std::vector<Result<>> finish(std::span<const Finish> finishes) override;
  Result<TimePoint> renew(const ClaimToken& claim, Duration lease) override;
  Result<> fail(const ClaimToken& claim, const Failure& failure) override;
  Result<std::optional<KeyView>> look_up(const IdempotencyKey& key) override;
  Result<std::vector<KeyView>> list(const KeyFilter& filter, const IdempotencyKey& after,
                                    std::size_t rows_max) override;
  Result<KeyCounts> count(const KeyFilter& filter) override;
  Result<> forget(const IdempotencyKey& key) override;
  Result<> resolve(const IdempotencyKey& key, bool was_done, const StoredResult& result) override;
  Result<std::size_t> purge(Duration grace, std::size_t rows_max) override;
  Result<std::size_t> purge_inbox(Duration retention, std::size_t rows_max) override;

 private:
  Result<> finish_one(const Finish& finish);
  Result<std::vector<Result<>>> finish_together(std::span<const Finish> finishes);
  /// The same finish or failure may have been committed before, and its answer lost.
  Result<> unless_done(const ClaimToken& claim, Result<> outcome, const std::function<bool(const KeyRecord&)>& is_done);

  const std::unique_ptr<Database> connection_;
  KeyTable keys_;
  InboxTable inbox_;
  const Migrate migrate_;
};

}  // namespace makegood::relational
