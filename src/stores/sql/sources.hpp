// What is kept of sources over a connection of its own, the same on every relational database.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/spi/source_store.hpp"
#include "stores/sql/database.hpp"
#include "stores/sql/source_statements.hpp"

namespace makegood::relational {

class Sources final : public SourceStore {
 public:
  /// Appends to the log of the outbox, in the transaction that is under way.
  using Append = std::function<Result<std::vector<Enqueued>>(std::span<const NewMessage> messages)>;
  using Migrate = std::function<Result<>()>;
  /// `instead`: in the place of the database's clock; null: that one.
  Sources(std::unique_ptr<Database> connection, const SourceStatements& statements, const Clock* instead, Append append,
          Migrate migrate)
      : connection_(std::move(connection)),
        database_(*connection_),
        sql_(statements),
        instead_(instead),
        append_(std::move(append)),
        migrate_(std::move(migrate)) {}

  Result<> migrate() override { return migrate_(); }
  Result<std::vector<SourceRow>> sources() override;
  Result<> put(std::string_view name, std::string_view document) override;
  Result<> remove(std::string_view name) override;
  Result<> pause(std::string_view name, bool is_paused) override;
  Result<> tell(std::string_view name, std::string_view code, std::string_view trouble) override;
  Result<std::vector<SourcePlaceRow>> places(std::string_view source) override;
  Result<> set_place(std::string_view source, const SourcePlace& place) override;
  Result<std::size_t> take_in(const Intake& intake) override;

 private:
  /// One statement that changes one row, committed.
  template <class... Values>
  Result<bool> change(std::string_view sql, const Values&... values);
  Result<> go_on(const Intake& intake);
  std::optional<TimePoint> now() const { return instead_ != nullptr ? std::optional(instead_->now()) : std::nullopt; }

  const std::unique_ptr<Database> connection_;
  Database& database_;
  const SourceStatements& sql_;
  const Clock* instead_;
  const Append append_;
  const Migrate migrate_;
};

}  // namespace makegood::relational
