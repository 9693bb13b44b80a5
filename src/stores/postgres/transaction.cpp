#include "stores/postgres/transaction.hpp"

#include <array>

#include "makegood_store_postgres_sql.hpp"

namespace makegood::postgres {
namespace {

Error in_doubt(std::string diagnostics) {
  return {Errc::in_doubt, "The answer to the commit is missing or comes with a warning; whether it lasts is unknown.",
          std::move(diagnostics)};
}

Result<> begin(Connection& connection, std::string_view begin_sql, std::string_view settings_sql) {
  MAKEGOOD_TRY(connection.reconnect_if_lost());
  const std::array steps = {Step{begin_sql, Parameters()}, Step{settings_sql, Parameters()}};
  MAKEGOOD_TRY(connection.run(steps));
  return {};
}

}  // namespace

Result<Transaction> Transaction::begin_read(Connection& connection) {
  Transaction transaction(connection);  // Also when only half of it succeeds.
  MAKEGOOD_TRY(begin(connection, sql::begin_read, sql::read_settings));
  return transaction;
}

Result<Transaction> Transaction::begin_write(Connection& connection) {
  Transaction transaction(connection);
  MAKEGOOD_TRY(begin(connection, sql::begin_write, sql::write_settings));
  return transaction;
}

Transaction::~Transaction() {
  if (connection_ == nullptr || connection_->is_lost() || !connection_->is_in_transaction()) return;
  (void)connection_->execute(sql::rollback);
}

Result<> Transaction::commit() {
  const Step step{sql::commit, Parameters()};
  const auto answer = connection_->run({&step, 1});
  return check_commit(*std::exchange(connection_, nullptr), answer);
}

Result<> check_commit(const Connection& connection, const Result<std::vector<Rows>>& answer) {
  // Everything was sent: even an error that came for an early statement may be the pooler's, which knows no better.
  if (connection.is_lost()) return in_doubt(answer ? std::string() : answer.error().diagnostics);
  if (!answer) return answer.error();
  if (answer->back().command() != "COMMIT") {
    return Error{Errc::store_unavailable, "The server rolled the transaction back; nothing was written.",
                 std::string(answer->back().command())};
  }
  // A cancelled wait for the standby ends so: the row is there, and may be gone after a failover.
  if (!connection.last_warning().empty()) return in_doubt(connection.last_warning());
  return {};
}

}  // namespace makegood::postgres
