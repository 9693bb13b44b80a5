// The way to the server as one outbox sees it. When the session is lost, a new one is made when asked for.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stores/postgres/session.hpp"

namespace makegood::postgres {

class Connection {
 public:
  /// `url` is libpq's business: hosts, TLS, service files, PG* variables.
  /// `session_settings` is a script for each session, but not where a pooler gives it to others as well.
  static Result<Connection> open(std::string url, Identifier outbox, std::string_view session_settings = {});

  const Identifier& outbox() const { return outbox_; }
  const std::string& url() const { return url_; }

  /// A new session if the last one is lost, or was ended by the server. Nothing else makes one: what belongs together
  /// must not be torn apart.
  Result<> reconnect_if_lost();
  bool is_lost() const { return session_->is_lost(); }
  bool is_pooled() const { return session_->is_pooled(); }
  /// Which session this is; another number means that the server may have restarted meanwhile.
  std::uint64_t session_number() const { return session_number_; }
  bool is_in_transaction() const { return session_->is_in_transaction(); }
  /// A server that takes longer for its answer counts as lost.
  void wait_at_most(std::chrono::milliseconds time);

  /// A run of one of the embedded statements, prepared at its first use.
  template <class... Values>
  Result<Rows> query(std::string_view sql, const Values&... values) {
    const Step step{sql, Parameters(values...)};
    auto rows = MAKEGOOD_TRY(run({&step, 1}));
    return std::move(rows.front());
  }
  template <class... Values>
  Result<> execute(std::string_view sql, const Values&... values) {
    MAKEGOOD_TRY(query(sql, values...));
    return {};
  }
  /// The one number that `sql` answers.
  template <class... Values>
  Result<std::int64_t> number(std::string_view sql, const Values&... values) {
    Rows rows = MAKEGOOD_TRY(query(sql, values...));
    rows.next();
    return rows.integer(0);
  }
  /// Several in one round trip; one Rows for each. After the first error nothing more is done.
  Result<std::vector<Rows>> run(std::span<const Step> steps);
  /// The same, when `next` will most probably be run then: the server begins with it at once, while we do something
  /// else.
  Result<std::vector<Rows>> run(std::span<const Step> steps, std::vector<Step> next);
  /// Nothing has been begun in advance any more. What it did is rolled back.
  void give_up_next();
  /// Whether what was begun in advance was asked for. Nothing: nobody knows, or it was told already.
  std::optional<bool> take_guess() { return std::exchange(was_guess_right_, std::nullopt); }
  /// Several statements, once.
  Result<> run_script(std::string_view sql);

  /// Of the last run: the SQLSTATE of its error, which step it was, and what the server warned of.
  const std::string& last_state() const { return last_state_; }
  std::size_t last_failed_step() const { return last_failed_step_; }
  const std::string& last_warning() const { return last_warning_; }
  Session& session() { return *session_; }
  const std::vector<Step>& last_pipeline() const { return last_pipeline_; }
  void remember(std::vector<Step> pipeline) { last_pipeline_ = std::move(pipeline); }

 private:
  Connection(std::string url, Identifier outbox, std::string_view session_settings);
  Result<std::unique_ptr<Session>> connect() const;
  bool is_next(std::span<const Step> steps) const;
  Session::Answer run_again(std::span<const Step> steps);

  std::string url_;
  Identifier outbox_;
  std::string_view session_settings_;
  std::unique_ptr<Session> session_;  ///< Null only while it is opened.
  std::uint64_t session_number_ = 1;
  std::vector<Step> next_;  ///< Has been sent already, and its answer not been received.
  std::optional<bool> was_guess_right_;
  std::vector<Step> last_pipeline_;  ///< That was run.
  std::optional<std::chrono::milliseconds> patience_;
  std::string last_state_;
  std::size_t last_failed_step_ = 0;
  std::string last_warning_;
};

/// Statements that are sent together.
class Pipeline {
 public:
  explicit Pipeline(Connection& connection) : connection_(connection) {}

  template <class... Values>
  void add(std::string_view sql, const Values&... values) {
    steps_.push_back({sql, Parameters(values...)});
  }
  void add(Step step) { steps_.push_back(std::move(step)); }
  std::size_t count() const { return steps_.size(); }
  Result<std::vector<Rows>> run(std::vector<Step> next = {}) {
    auto answer = connection_.run(steps_, std::move(next));
    connection_.remember(steps_);
    return answer;
  }

 private:
  Connection& connection_;
  std::vector<Step> steps_;
};

}  // namespace makegood::postgres
