// One connection to one file, seen from one outbox, with its statements kept prepared.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "makegood/clock.hpp"
#include "stores/sql/database.hpp"
#include "stores/sqlite/identifier.hpp"
#include "stores/sqlite/statement.hpp"

struct sqlite3;

namespace makegood::sqlite {

/// What begins and ends a transaction.
namespace verb {
inline constexpr std::string_view begin_read = "BEGIN";
inline constexpr std::string_view begin_write = "BEGIN IMMEDIATE";
inline constexpr std::string_view commit = "COMMIT";
inline constexpr std::string_view rollback = "ROLLBACK";
}  // namespace verb

class Connection final : public relational::Database {
 public:
  /// Opens or creates the file, in WAL mode with every commit synced.
  static Result<Connection> open(std::string_view path, Identifier outbox);
  /// Creates nothing, and leaves the file's mode as it is. Errc::not_found when there is no such file.
  static Result<Connection> open_existing(std::string_view path, Identifier outbox);
  /// A connection of the caller's, which stays the caller's.
  static Connection borrow(sqlite3* db, Identifier outbox);

  sqlite3* handle() const { return db_.get(); }
  const Identifier& outbox() const { return outbox_; }
  /// The absolute name of the file.
  std::string file() const;
  bool is_in_transaction() const;

  /// Takes no lock.
  Result<> begin_read() override { return execute(verb::begin_read); }
  /// Takes the write lock at once, so that it cannot fail half-way for lack of it.
  Result<> begin_write() override { return execute(verb::begin_write); }
  Result<> commit() override;
  void roll_back() override;

  /// A run of one of the embedded statements, prepared at its first use.
  template <class... Values>
  Result<Rows> query(std::string_view sql, const Values&... values) {
    const Statement* statement = MAKEGOOD_TRY(prepared(sql));
    return Rows(*statement, values...);
  }
  template <class... Values>
  Result<> execute(std::string_view sql, const Values&... values) {
    Rows rows = MAKEGOOD_TRY(query(sql, values...));
    return rows.finish();
  }
  // As the code that all relational stores share sees it: database.cpp.
  const relational::Statements& statements() const override;
  Result<std::vector<relational::RowsPtr>> run(std::span<const relational::Step> steps) override;
  std::string topic_pattern(std::string_view pattern) const override;
  bool commits_by_itself() const override { return true; }
  bool has_one_writer() const override { return true; }

  /// The one number that `sql` answers.
  Result<std::int64_t> number(std::string_view sql);
  Result<> use_write_ahead_log();
  /// Runs several statements, once.
  Result<> run_script(std::string_view sql);

 private:
  struct Close {
    bool is_borrowed;
    void operator()(sqlite3* db) const noexcept;
  };
  /// How long the current wait for a lock has lasted; its address is known to SQLite.
  struct Wait {
    MonotonicTime since;
  };
  static int wait_for_lock(void* wait, int count);

  Connection(std::unique_ptr<sqlite3, Close> db, Identifier outbox);
  static Result<Connection> open_with(int flags, std::string_view path, Identifier outbox);
  Result<const Statement*> prepared(std::string_view sql);

  std::unique_ptr<Wait> wait_;
  std::unique_ptr<sqlite3, Close> db_;
  Identifier outbox_;
  // By the address of the embedded text: different texts never share one. Finalized before db_ is closed.
  std::unordered_map<const char*, Statement> statements_;
};

}  // namespace makegood::sqlite
