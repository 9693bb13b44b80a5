// What a statement answered, in PostgreSQL's binary form: the only type that reads a PGresult.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "makegood/clock.hpp"

struct pg_result;

namespace makegood::postgres {

struct ClearResult {
  void operator()(pg_result* result) const noexcept;
};
using ResultPtr = std::unique_ptr<pg_result, ClearResult>;

/// All rows are there already; this steps through them.
class Rows {
 public:
  explicit Rows(ResultPtr result);

  /// False: there are no more.
  bool next() { return ++row_ < count_; }
  std::size_t count() const { return static_cast<std::size_t>(count_); }
  int column_count() const;
  /// `INSERT 0 1`, `COMMIT`.
  std::string_view command() const;
  /// Rows written or deleted.
  std::size_t affected() const;

  bool is_null(int column) const;
  /// Of type smallint, integer, bigint or oid. 0 for NULL. (A sum of bigints is numeric: cast it.)
  std::int64_t integer(int column) const;
  std::optional<std::int64_t> integer_or_null(int column) const;
  bool boolean(int column) const;
  /// Of type timestamptz.
  TimePoint time(int column) const;
  std::optional<TimePoint> time_or_null(int column) const;
  /// Of type text, json or bytea (for jsonb: cast it to text). For NULL a view of nothing, whose data() is null; an
  /// empty one has one that is not. Views live as long as the Rows.
  std::string_view text(int column) const;
  std::string_view blob(int column) const { return text(column); }

 private:
  ResultPtr result_;
  int count_;
  int row_ = -1;
};

}  // namespace makegood::postgres
