// A database file of a test's own, a plain connection to it as an application has one, and stores over it.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "makegood/spi/outbox_view.hpp"
#include "makegood/sqlite.hpp"
#include "stores/sqlite/sqlite.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::sqlite {

using namespace std::chrono_literals;
using testing_support::a_message;
using testing_support::a_parked;

inline constexpr Duration lease = 10s;

/// An application's own connection.
class Application {
 public:
  explicit Application(const std::string& file) {
    if (sqlite3_open(file.c_str(), &db_) != SQLITE_OK) throw std::runtime_error("cannot open " + file);
    sqlite3_busy_timeout(db_, 2000);
  }
  ~Application() { sqlite3_close(db_); }
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  sqlite3* db() const { return db_; }
  /// Empty when all went well, else SQLite's words.
  std::string attempt(const std::string& sql) {
    return sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK ? "" : sqlite3_errmsg(db_);
  }
  void run(const std::string& sql) {
    if (const std::string error = attempt(sql); !error.empty()) throw std::runtime_error(sql + ": " + error);
  }
  /// All rows, columns joined by `|` and rows by `;`.
  std::string ask(const std::string& sql) {
    std::string text;
    const auto append = [](void* out, int count, char** values, char**) {
      auto& answer = *static_cast<std::string*>(out);
      if (!answer.empty()) answer += ';';
      for (int i = 0; i < count; ++i) answer += (i > 0 ? "|" : "") + std::string(values[i] ? values[i] : "NULL");
      return 0;
    };
    if (sqlite3_exec(db_, sql.c_str(), append, &text, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sql + ": " + sqlite3_errmsg(db_));
    }
    return text;
  }

 private:
  sqlite3* db_ = nullptr;
};

/// Long to tell: no two of them follow each other. All are below the number 2,000.
inline std::vector<Sequence> a_thousand_holes() {
  std::vector<Sequence> numbers;
  for (Sequence number = 1; number < 2000; number += 2) numbers.push_back(number);
  return numbers;
}

/// What a turn says besides who says it.
struct Said {
  Position position = {};
  std::vector<Turn::Change> parked = {};
  std::optional<Clean> clean = {};
  std::optional<Routing> routing = {};
  std::int64_t oldest_routing = 0;
};

class SqliteTest : public ::testing::Test {
 protected:
  SqliteTest() : store_(connect()) { must(store_->migrate()); }

  std::unique_ptr<OutboxStore> connect(const std::string& outbox = "makegood_outbox") {
    return value_of(open_store(file(), outbox, clock_));
  }
  std::unique_ptr<OutboxView> dead_letters() { return value_of(open_outbox_view(file(), "makegood_outbox", clock_)); }
  std::string file() const { return folder_.file("app.db"); }
  OutboxStore& store() { return *store_; }
  void close_store() { store_.reset(); }
  Application& app() {
    if (!app_) app_ = std::make_unique<Application>(file());
    return *app_;
  }
  Sequence enqueue(const NewMessage& message) { return value_of(store().enqueue({&message, 1})).at(0).sequence; }
  Taken take(OutboxStore& store, const Owner& owner) {
    auto taken = value_of(store.take(owner, lease, {}));
    if (!taken) throw std::runtime_error("the lane was not free");
    return *std::move(taken);
  }

  /// A turn of the owner "a", which takes the lane for its first.
  void commit(const Said& said) {
    if (turn_ == 0) turn_ = take(store(), "a").turn;
    turn_ = value_of(store().commit({.owner = "a",
                                     .after = turn_,
                                     .lease = lease,
                                     .position = said.position,
                                     .parked = said.parked,
                                     .routing = said.routing,
                                     .oldest_routing = said.oldest_routing,
                                     .clean = said.clean}))
                .turn;
  }

  testing_support::TemporaryFolder folder_;
  testing_support::FakeClock clock_;

 private:
  std::unique_ptr<Application> app_;
  std::unique_ptr<OutboxStore> store_;
  TurnNumber turn_ = 0;
};

}  // namespace makegood::sqlite
