// A connection of libpq that stops the program on any error.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <string>

namespace makegood::bench {

class PostgresSession {
 public:
  explicit PostgresSession(const std::string& url);

  struct Clear {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
  };
  using Answer = std::unique_ptr<PGresult, Clear>;

  PGconn* handle() const { return connection_.get(); }
  Answer run(const std::string& sql);
  /// What was asked with another call of libpq.
  Answer check(PGresult* result) const;
  /// Of one row and one column, as text.
  double number(const std::string& sql);

 private:
  struct Finish {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
  };
  std::unique_ptr<PGconn, Finish> connection_;
};

}  // namespace makegood::bench
