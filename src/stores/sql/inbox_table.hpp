// The inbox on one connection, in the transaction that is open there.
#pragma once

#include "makegood/inbox.hpp"
#include "stores/sql/database.hpp"
#include "stores/sql/key_statements.hpp"

namespace makegood::relational {

class InboxTable {
 public:
  /// `clock`: null: the database's own.
  InboxTable(Database& database, const KeyStatements& statements, const Clock* clock)
      : database_(database), sql_(statements), clock_(clock) {}

  Result<Seen> seen(const InboxEvent& event);
  Result<std::vector<std::string>> consumers();
  /// First the watermark rises, which waits for those who have just looked at it; then what lies below it goes.
  Result<std::size_t> purge(const std::string& consumer, Duration retention, std::size_t rows_max);

 private:
  Database& database_;
  const KeyStatements& sql_;
  const Clock* clock_;
};

}  // namespace makegood::relational
