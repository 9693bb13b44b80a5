// A prepared statement, and one run of it: the only types that touch sqlite3_stmt.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace makegood::sqlite {

/// A text that is stored as NULL when it is empty.
struct NullIfEmpty {
  std::string_view text;
};

/// A moment as it is stored; nothing is NULL.
std::optional<std::int64_t> milliseconds_or_null(const std::optional<TimePoint>& time);

class Statement {
 public:
  /// `is_lasting`: it will be kept and run many times.
  static Result<Statement> prepare(sqlite3* db, std::string_view sql, bool is_lasting = true);

  sqlite3_stmt* handle() const { return handle_.get(); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

/// One run: binds its values, steps through the rows, and resets the statement at its end.
class Rows {
 public:
  template <class... Values>
  explicit Rows(const Statement& statement, const Values&... values) : statement_(statement.handle()) {
    int index = 0;
    (bind(++index, values), ...);
  }
  ~Rows();
  Rows(Rows&& other) noexcept : statement_(other.statement_) { other.statement_ = nullptr; }
  Rows& operator=(Rows&&) = delete;

  /// True: there is a row. False: there are no more.
  Result<bool> next();
  /// Steps to the end.
  Result<> finish();
  /// SQLite's own code of the first step, for a statement without rows.
  int step();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  std::optional<std::int64_t> integer_or_null(int column) const;
  bool boolean(int column) const { return integer(column) != 0; }
  /// Stored as milliseconds.
  TimePoint time(int column) const { return from_milliseconds(integer(column)); }
  std::optional<TimePoint> time_or_null(int column) const;
  /// For NULL a view of nothing, whose data() is null; an empty text has one that is not. Views live until the next
  /// step.
  std::string_view text(int column) const;
  std::string_view blob(int column) const;

  /// The value is copied. An index that the statement does not have is a mistake of ours.
  void bind(int index, std::int64_t value);
  void bind(int index, std::optional<std::int64_t> value);
  void bind(int index, std::string_view text);
  void bind(int index, NullIfEmpty value);
  void bind_blob(int index, std::string_view bytes);
  /// The bytes are not copied: they must live until this run ends.
  void bind_borrowed(int index, std::string_view text);
  void bind_borrowed(int index, NullIfEmpty value);
  void bind_borrowed_blob(int index, std::string_view bytes);

 private:
  sqlite3_stmt* statement_;
};

}  // namespace makegood::sqlite
