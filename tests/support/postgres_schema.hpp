// A fresh schema on the PostgreSQL server that MAKEGOOD_POSTGRES names, and connections to it as a program has them.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <string>
#include <string_view>

namespace makegood::testing_support {

/// The URL of a superuser's database; empty when there is none.
std::string postgres_url();
/// What a test that needs it says when it is skipped.
inline constexpr std::string_view no_postgres =
    "MAKEGOOD_POSTGRES names no server: ./test starts one and sets it; by hand: export "
    "MAKEGOOD_POSTGRES=$(tests/support/postgres_server.py start /tmp/FOLDER)";

/// A connection of its own. What fails throws.
class PostgresClient {
 public:
  explicit PostgresClient(const std::string& url);

  PGconn* handle() const { return connection_.get(); }
  /// One or several statements; answers the first column of the first row of the last one, as text.
  std::string run(const std::string& sql) const;
  /// The SQLSTATE of the error that it must end with; empty if it succeeds.
  std::string state_of(const std::string& sql) const;

 private:
  struct Finish {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
  };
  std::unique_ptr<PGconn, Finish> connection_;
};

class PostgresSchema {
 public:
  PostgresSchema();
  ~PostgresSchema();
  PostgresSchema(const PostgresSchema&) = delete;
  PostgresSchema& operator=(const PostgresSchema&) = delete;

  const std::string& url() const { return url_; }
  const std::string& name() const { return name_; }
  /// A URL whose sessions find everything in the schema without its name.
  std::string url_within() const;
  /// `name` with the schema before it.
  std::string in(std::string_view table) const { return name_ + "." + std::string(table); }

 private:
  const std::string url_;
  const std::string name_;
};

}  // namespace makegood::testing_support
