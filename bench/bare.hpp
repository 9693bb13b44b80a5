// The limits: what the bare SQLite API does on the same schema, with the same durability, and nothing around it.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>

#include "makegood/message.hpp"

namespace makegood::bench {

/// Stops the program on any error: a benchmark that failed has no figure.
class Bare {
 public:
  explicit Bare(const std::string& path);
  sqlite3* handle() const { return db_.get(); }
  void run(const char* sql);

  /// One transaction with `count` inserts of this message.
  void insert(const NewMessage& message, std::size_t count);
  /// Reads the next `count` rows beyond what was read, touching every column, and appends a turn. Returns how many.
  std::size_t read_and_append(std::size_t count);

 private:
  struct Close {
    void operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;
  Statement prepare(const char* sql);
  void step(const Statement& statement);
  void append_turn();

  std::unique_ptr<sqlite3, Close> db_;
  Statement begin_, commit_, insert_, read_, append_;
  sqlite3_int64 reached_ = 0;
  sqlite3_int64 turn_ = 0;
};

}  // namespace makegood::bench
