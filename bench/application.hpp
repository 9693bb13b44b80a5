// An application with a transaction of its own, in which it enqueues.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "bench/bare_sqlite.hpp"
#include "bench/postgres_session.hpp"
#include "makegood/postgres.hpp"
#include "makegood/sqlite.hpp"

namespace makegood::bench {

class Application {
 public:
  Application() = default;
  virtual ~Application() = default;
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  /// One transaction, with a business row.
  virtual void commit(std::span<const NewMessage> messages) = 0;
};

class SqliteApplication final : public Application {
 public:
  explicit SqliteApplication(const std::string& path);
  void commit(std::span<const NewMessage> messages) override;

 private:
  BareSqlite bare_;
  std::unique_ptr<sqlite::Enqueuer> enqueuer_;
};

class PostgresApplication final : public Application {
 public:
  explicit PostgresApplication(const std::string& url);
  void commit(std::span<const NewMessage> messages) override;

 private:
  PostgresSession session_;
  std::unique_ptr<postgres::Enqueuer> enqueuer_;
};

/// The tables are there already.
std::unique_ptr<Application> open_application(const std::string& store_url);

}  // namespace makegood::bench
