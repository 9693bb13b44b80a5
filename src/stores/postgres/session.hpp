// One connection to the server, with the statements that it keeps prepared: the only type that sends to a PGconn of
// ours.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"
#include "stores/postgres/identifier.hpp"
#include "stores/postgres/parameters.hpp"
#include "stores/postgres/place.hpp"
#include "stores/postgres/rows.hpp"

struct pg_conn;

namespace makegood::postgres {

/// An embedded statement and the values for it.
struct Step {
  std::string_view sql;
  Parameters values;
  bool operator==(const Step&) const = default;
};

class Session {
 public:
  static Result<std::unique_ptr<Session>> connect(const std::string& url);
  /// As whom and how the URL says, but there; silence is borne for two seconds.
  static Result<std::unique_ptr<Session>> connect_to(const std::string& url, const Place& place);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  struct Answer {
    std::vector<Rows> rows;      ///< Of the steps up to the one that failed.
    std::optional<Error> error;  ///< The first; nothing that came after it was done.
    std::string state;           ///< Its SQLSTATE; empty when the connection was lost.
    std::string warning;         ///< The last one that the server gave meanwhile.
  };
  /// All steps in one round trip.
  Answer run(std::span<const Step> steps, const Identifier& outbox);
  /// The two halves of it. What is sent before another answer was received is done when that has been.
  void send(std::span<const Step> steps, const Identifier& outbox);
  Answer receive();
  /// Several statements without values, and as long as it takes.
  Result<> run_script(const std::string& sql);

  /// Nothing can be sent any more.
  bool is_lost() const;
  /// The server has ended the session, which libpq would notice only when it is used.
  bool is_hung_up() const;
  bool is_in_transaction() const;
  /// A pooler stands between us and the server: the next transaction may be on another connection of its.
  bool is_pooled() const { return is_pooled_; }
  /// From now on every statement is parsed anew. Needed where a pooler cannot keep track of prepared ones.
  void stop_preparing() { may_prepare_ = false; }
  bool may_prepare() const { return may_prepare_; }
  /// A server that takes longer for its answer counts as lost.
  void wait_at_most(std::chrono::milliseconds time) { patience_ = time; }
  /// Readable when the server has sent something.
  int descriptor() const;
  pg_conn* handle() const { return connection_.get(); }

 private:
  struct Finish {
    void operator()(pg_conn* connection) const noexcept;
  };
  struct Statement {
    std::string text;
    std::string name;
    bool is_prepared = false;
  };
  struct Collected;

  explicit Session(pg_conn* connection);
  static Result<std::unique_ptr<Session>> begin(pg_conn* connection);
  static void remember_warning(void* session, const pg_result* notice);
  Result<> find_out_about_pooler();
  Statement& statement_for(std::string_view sql, const Identifier& outbox);
  bool send(const Step& step, Statement& statement, Collected& collected);
  bool flush(MonotonicTime deadline);
  /// False: nothing came in time, or the connection is gone.
  bool await(short events, MonotonicTime deadline);
  void collect(Collected& collected, MonotonicTime deadline);
  ResultPtr next_result(MonotonicTime deadline);
  void lose();

  std::unique_ptr<pg_conn, Finish> connection_;
  // By the address of the embedded text: different texts never share one.
  std::unordered_map<const char*, Statement> statements_;
  std::deque<Collected> under_way_;
  std::string warning_;
  std::chrono::milliseconds patience_ = std::chrono::minutes(1);
  bool is_pooled_ = false;
  bool may_prepare_ = true;
  bool is_given_up_ = false;  ///< It did not answer in time.
};

}  // namespace makegood::postgres
