#include "stores/postgres/connection.hpp"

#include <algorithm>

#include "makegood_store_postgres_sql.hpp"

namespace makegood::postgres {
namespace {

/// The server's session behind the pooler does not know the statement, or knows one of somebody else by its name.
bool is_prepared_elsewhere(std::string_view state) { return state == "26000" || state == "42P05"; }

}  // namespace

Connection::Connection(std::string url, Identifier outbox, std::string_view session_settings)
    : url_(std::move(url)), outbox_(std::move(outbox)), session_settings_(session_settings) {}

Result<Connection> Connection::open(std::string url, Identifier outbox, std::string_view session_settings) {
  Connection connection(std::move(url), std::move(outbox), session_settings);
  connection.session_ = MAKEGOOD_TRY(connection.connect());
  return connection;
}

Result<std::unique_ptr<Session>> Connection::connect() const {
  auto session = MAKEGOOD_TRY(Session::connect(url_));
  if (!session->is_pooled()) MAKEGOOD_TRY(session->run_script(std::string(session_settings_)));
  return session;
}

void Connection::wait_at_most(std::chrono::milliseconds time) {
  patience_ = time;
  session_->wait_at_most(time);
}

Result<> Connection::reconnect_if_lost() {
  // What a server has ended while nobody used it must not fail the next call.
  if (!is_lost() && !session_->is_hung_up()) return {};
  session_ = MAKEGOOD_TRY(connect());
  next_.clear();
  if (patience_) session_->wait_at_most(*patience_);
  ++session_number_;
  return {};
}

Result<std::vector<Rows>> Connection::run(std::span<const Step> steps) { return run(steps, {}); }

Result<std::vector<Rows>> Connection::run(std::span<const Step> steps, std::vector<Step> next) {
  const bool is_under_way = is_next(steps);
  if (is_under_way) was_guess_right_ = true;
  if (!is_under_way) give_up_next();
  const bool is_whole = !is_in_transaction() || steps.front().sql == sql::rollback;
  if (!is_under_way) session_->send(steps, outbox_);
  if (!next.empty()) session_->send(next, outbox_);
  Session::Answer answer = session_->receive();
  next_ = std::move(next);
  if (is_prepared_elsewhere(answer.state) && session_->may_prepare()) {
    session_->stop_preparing();
    if (is_whole) answer = run_again(steps);  // Else half of the transaction is gone.
  }
  last_state_ = std::move(answer.state);
  last_failed_step_ = answer.rows.size();
  last_warning_ = std::move(answer.warning);
  if (answer.error) return *std::move(answer.error);
  return std::move(answer.rows);
}

Session::Answer Connection::run_again(std::span<const Step> steps) {
  give_up_next();
  const Step rollback{sql::rollback, Parameters()};
  if (is_in_transaction()) session_->run({&rollback, 1}, outbox_);
  return session_->run(steps, outbox_);
}

bool Connection::is_next(std::span<const Step> steps) const {
  return !next_.empty() && std::ranges::equal(next_, steps);
}

void Connection::give_up_next() {
  if (next_.empty()) return;
  next_.clear();
  was_guess_right_ = false;
  session_->receive();
  const Step rollback{sql::rollback, Parameters()};
  if (is_in_transaction()) session_->run({&rollback, 1}, outbox_);
}

Result<> Connection::run_script(std::string_view sql) {
  give_up_next();
  return session_->run_script(std::string(sql));
}

}  // namespace makegood::postgres
