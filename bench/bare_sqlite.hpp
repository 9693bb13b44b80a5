// The bare SQLite API.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>

#include "bench/bare.hpp"

namespace makegood::bench {

class BareSqlite final : public Bare {
 public:
  explicit BareSqlite(const std::string& path);
  sqlite3* handle() const { return db_.get(); }
  void run(const char* sql);
  void add_business_row() { step(business_); }

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;
  Statement prepare(const char* sql);
  /// To its end, and back to its beginning.
  void step(const Statement& statement);

  void order(const NewMessage& message, std::size_t count) override;
  void insert(const NewMessage& message, std::size_t count) override;
  void ask() override { step(version_); }
  std::size_t read_and_append(std::size_t count) override;

 private:
  struct Close {
    void operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }
  };
  void insert_all(const NewMessage& message, std::size_t count);
  void append_turn();

  std::unique_ptr<sqlite3, Close> db_;
  Statement begin_, commit_, business_, insert_, version_, read_, append_;
  sqlite3_int64 reached_ = 0;
  sqlite3_int64 turn_ = 0;
};

}  // namespace makegood::bench
