#include "stores/postgres/exchange.hpp"

#include <fmt/format.h>

#include "makegood_store_postgres_sql.hpp"

namespace makegood::postgres {

void Exchange::begin(Connection& connection, Duration lease) {
  using std::chrono::milliseconds;
  session_ = connection.session_number();
  server_start_.reset();
  // Whoever waits for longer than its lease has lost the lane meanwhile.
  connection.wait_at_most(std::chrono::ceil<milliseconds>(lease));
  settled_session_ = 0;
  idle_timeout_ = fmt::format("{}", std::chrono::ceil<milliseconds>(lease / 2).count());
}

Result<> Exchange::check_session(Connection& connection) {
  MAKEGOOD_TRY(connection.reconnect_if_lost());
  if (session_ == connection.session_number()) return {};
  session_ = connection.session_number();
  return Error{Errc::store_unavailable, "The connection to the server was lost, and there is a new one; try again."};
}

Result<> Exchange::check_server(TimePoint start) {
  const bool is_same = !server_start_ || *server_start_ == start;
  server_start_ = start;
  if (is_same) return {};
  return Error{Errc::store_unavailable, "Another server answers than before, or it was restarted; try again."};
}

/// Behind a pooler only the look's own transaction proves it.
Result<> Exchange::check_unbroken(const Connection& connection) const {
  const bool is_same = !connection.is_lost() && session_ == connection.session_number();
  if (is_same && (connection.is_in_transaction() || !connection.is_pooled())) return {};
  return Error{Errc::fenced, "The connection was lost between the look and its turn; nothing was written."};
}

void Exchange::add_settings(Pipeline& pipeline, const Connection& connection) const {
  if (has_settings(connection)) return;
  pipeline.add(sql::exchange_settings, idle_timeout_, connection.is_pooled());
}

void Exchange::was_committed(const Connection& connection) {
  if (!connection.is_pooled()) settled_session_ = connection.session_number();
}

}  // namespace makegood::postgres
