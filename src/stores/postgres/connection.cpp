#include "stores/postgres/connection.hpp"

#include <algorithm>

#include "makegood_store_postgres_sql.hpp"

namespace makegood::postgres {
namespace {

/// The server's session behind the pooler does not know the statement, or knows one of somebody else by its name.
bool is_prepared_elsewhere(std::string_view state) { return state == "26000" || state == "42P05"; }

Error in_doubt(std::string diagnostics) {
  return {Errc::in_doubt, "The answer to the commit is missing or comes with a warning; whether it lasts is unknown.",
          std::move(diagnostics)};
}

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
  const bool is_whole = !is_in_transaction() || steps.front().sql == verb::rollback;
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
  const Step rollback{verb::rollback, Parameters()};
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
  const Step rollback{verb::rollback, Parameters()};
  if (is_in_transaction()) session_->run({&rollback, 1}, outbox_);
}

Result<> Connection::begin(std::initializer_list<std::string_view> statements) {
  MAKEGOOD_TRY(reconnect_if_lost());
  std::vector<Step> steps;
  for (const std::string_view statement : statements) steps.push_back({statement, Parameters()});
  MAKEGOOD_TRY(run(std::span<const Step>(steps)));
  return {};
}

Result<> Connection::begin_read() { return begin({verb::begin_read, sql::read_settings}); }

Result<> Connection::begin_write() { return begin({verb::begin_write, sql::write_settings}); }

Result<> Connection::commit() {
  const Step step{verb::commit, Parameters()};
  return check_commit(run(std::span(&step, 1)));
}

void Connection::roll_back() {
  if (!is_lost() && is_in_transaction()) (void)execute(verb::rollback);
}

Result<> Connection::check_commit(const Result<std::vector<Rows>>& answer) const {
  // Everything was sent: even an error that came for an early statement may be the pooler's, which knows no better.
  if (is_lost()) return in_doubt(answer ? std::string() : answer.error().diagnostics);
  if (!answer) return answer.error();
  if (answer->back().command() != "COMMIT") {
    return Error{Errc::store_unavailable, "The server rolled the transaction back; nothing was written.",
                 std::string(answer->back().command())};
  }
  // A cancelled wait for the standby ends so: the row is there, and may be gone after a failover.
  if (!last_warning().empty()) return in_doubt(last_warning());
  return {};
}

Result<> Connection::run_script(std::string_view sql) {
  give_up_next();
  return session_->run_script(std::string(sql));
}

}  // namespace makegood::postgres
