// A connection of the caller's as the code that all relational stores share sees it. Its transaction is the caller's.
#pragma once

#include "stores/postgres/borrowed.hpp"
#include "stores/sql/database.hpp"

namespace makegood::postgres {

class BorrowedDatabase final : public relational::Database {
 public:
  BorrowedDatabase(pg_conn* connection, Identifier series, bool may_prepare)
      : borrowed_(connection, std::move(series), may_prepare) {}

  pg_conn* handle() const { return borrowed_.handle(); }

  const relational::Statements& statements() const override;
  Result<> begin_read() override { return not_ours(); }
  Result<> begin_write() override { return not_ours(); }
  Result<> commit() override { return not_ours(); }
  void roll_back() override {}
  Result<std::vector<relational::RowsPtr>> run(std::span<const relational::Step> steps) override;
  std::string topic_pattern(std::string_view pattern) const override { return std::string(pattern); }

 private:
  static Error not_ours() { return {Errc::internal, "The transaction is the caller's."}; }

  Borrowed borrowed_;
};

}  // namespace makegood::postgres
