// What a relational store lends to the code that all of them share: statements, their rows, and transactions. Not for
// the hot path, which uses the store's own types.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"
#include "stores/sql/statements.hpp"

namespace makegood::relational {

using Numbers = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;
/// Bytes that need not be text.
struct Blob {
  std::string bytes;
};
/// What a parameter of a statement can be. Numbers and texts are arrays, which each database has in a form of its own.
using Value = std::variant<std::int64_t, bool, std::string, TimePoint, std::optional<TimePoint>, Numbers, Texts, Blob>;

/// Texts and numbers of every kind become one.
template <class Given>
Value value_from(const Given& given) {
  if constexpr (std::same_as<Given, bool>) {
    return given;
  } else if constexpr (std::integral<Given>) {
    return static_cast<std::int64_t>(given);
  } else if constexpr (std::convertible_to<Given, std::string_view>) {
    return std::string(std::string_view(given));
  } else {
    return given;
  }
}

/// A statement and the values for it.
struct Step {
  template <class... Values>
  explicit Step(std::string_view statement, const Values&... given) : sql(statement) {
    (values.push_back(value_from(given)), ...);
  }

  std::string_view sql;
  std::vector<Value> values;
};

/// What a statement answers, row by row. Columns are asked for as in the rows of each store.
class Rows {
 public:
  virtual ~Rows() = default;
  /// False: there are no more.
  virtual Result<bool> next() = 0;
  virtual bool is_null(int column) const = 0;
  virtual std::int64_t integer(int column) const = 0;
  virtual bool boolean(int column) const = 0;
  virtual TimePoint time(int column) const = 0;
  virtual std::optional<TimePoint> time_or_null(int column) const = 0;
  virtual std::string_view text(int column) const = 0;
  virtual std::string_view blob(int column) const = 0;
  std::size_t count(int column) const { return static_cast<std::size_t>(integer(column)); }
};
using RowsPtr = std::unique_ptr<Rows>;

/// A connection to it.
class Database {
 public:
  virtual ~Database() = default;
  virtual const Statements& statements() const = 0;
  /// One snapshot for all that is read until it ends.
  virtual Result<> begin_read() = 0;
  virtual Result<> begin_write() = 0;
  /// Errc::in_doubt: it may have happened.
  virtual Result<> commit() = 0;
  /// If a transaction is open.
  virtual void roll_back() = 0;
  /// One after the other, in one round trip where there is one: what they change is changed. None may be in it twice.
  virtual Result<std::vector<RowsPtr>> run(std::span<const Step> steps) = 0;
  /// For each of them whether it answered a row: in one round trip where there is one. A statement may be in it often.
  virtual Result<std::vector<bool>> answered(std::span<const Step> steps);
  /// A statement outside of a transaction is durable as soon as all its rows were read.
  virtual bool commits_by_itself() const { return false; }
  /// What is asked with `answered` is one transaction then, and durable when it is answered.
  virtual bool commits_together() const { return false; }
  /// Two connections that write wait for each other.
  virtual bool has_one_writer() const { return false; }
  /// A pattern of topics, in which `*` stands for anything, as the statements about dead letters take it.
  virtual std::string topic_pattern(std::string_view pattern) const = 0;

  template <class... Values>
  Result<RowsPtr> query(std::string_view sql, const Values&... values) {
    const Step step(sql, values...);
    auto rows = MAKEGOOD_TRY(run({&step, 1}));
    return std::move(rows.front());
  }
  template <class... Values>
  Result<> execute(std::string_view sql, const Values&... values) {
    const RowsPtr rows = MAKEGOOD_TRY(query(sql, values...));
    while (MAKEGOOD_TRY(rows->next())) {
    }
    return {};
  }
  /// The rows of a statement that answers exactly one, on that row.
  template <class... Values>
  Result<RowsPtr> one(std::string_view sql, const Values&... values) {
    RowsPtr rows = MAKEGOOD_TRY(query(sql, values...));
    MAKEGOOD_TRY(rows->next());
    return rows;
  }
};

inline Result<std::vector<bool>> Database::answered(std::span<const Step> steps) {
  std::vector<bool> have_rows;
  for (const Step& step : steps) {
    const auto rows = MAKEGOOD_TRY(run({&step, 1}));
    bool has_more = MAKEGOOD_TRY(rows.front()->next());
    have_rows.push_back(has_more);
    // A statement that is stepped on behind its end runs once more.
    while (has_more) has_more = MAKEGOOD_TRY(rows.front()->next());
  }
  return have_rows;
}

/// The rows of a store in this shape.
template <class Native>
class RowsOf final : public Rows {
 public:
  /// `first`: what its first step said, if that was made already.
  explicit RowsOf(Native rows, std::optional<bool> first = {}) : rows_(std::move(rows)), first_(first) {}
  Result<bool> next() override {
    if (first_) return *std::exchange(first_, std::nullopt);
    return rows_.next();
  }
  bool is_null(int column) const override { return rows_.is_null(column); }
  std::int64_t integer(int column) const override { return rows_.integer(column); }
  bool boolean(int column) const override { return rows_.boolean(column); }
  TimePoint time(int column) const override { return rows_.time(column); }
  std::optional<TimePoint> time_or_null(int column) const override { return rows_.time_or_null(column); }
  std::string_view text(int column) const override { return rows_.text(column); }
  std::string_view blob(int column) const override { return rows_.blob(column); }

 private:
  Native rows_;
  std::optional<bool> first_;
};

}  // namespace makegood::relational
