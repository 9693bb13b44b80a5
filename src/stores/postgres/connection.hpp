// The way to the server as one outbox sees it. When the session is lost, a new one is made when asked for.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stores/postgres/session.hpp"
#include "stores/sql/database.hpp"

namespace makegood::postgres {

/// What begins and ends a transaction.
namespace verb {
inline constexpr std::string_view begin_read = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
inline constexpr std::string_view begin_write = "BEGIN ISOLATION LEVEL READ COMMITTED";
inline constexpr std::string_view commit = "COMMIT";
inline constexpr std::string_view rollback = "ROLLBACK";
}  // namespace verb

class Connection final : public relational::Database {
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
  /// Each statement is planned for the values that it is run with. Makes a new session if the last one was lost, as the
  /// other does.
  Result<> begin_read() override;
  /// A snapshot per statement, a commit that waits for the disk, and no endless wait for somebody else's lock.
  Result<> begin_write() override;
  Result<> commit() override;
  void roll_back() override;
  /// What the answer to a run that ended with COMMIT means: done, certainly not done, or Errc::in_doubt.
  Result<> check_commit(const Result<std::vector<Rows>>& answer) const;

  // As the code that all relational stores share sees it: database.cpp.
  const relational::Statements& statements() const override;
  Result<std::vector<relational::RowsPtr>> run(std::span<const relational::Step> steps) override;
  Result<std::vector<bool>> answered(std::span<const relational::Step> steps) override;
  std::string topic_pattern(std::string_view pattern) const override;
  /// Where the settings of the session say so.
  bool commits_by_itself() const override;
  /// They are sent without a word about a transaction in between.
  bool commits_together() const override { return commits_by_itself(); }

  /// A server that takes longer for its answer counts as lost.
  void wait_at_most(std::chrono::milliseconds time);

  /// A run of one of the embedded statements, prepared at its first use.
  template <class... Values>
  Result<Rows> query(std::string_view sql, const Values&... values) {
    const Step step{sql, Parameters(values...)};
    auto rows = MAKEGOOD_TRY(run(std::span(&step, 1)));
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
  Result<> begin(std::initializer_list<std::string_view> statements);
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
