// A connection as the code that all relational stores share sees it.
#include "stores/sqlite/connection.hpp"

#include "makegood_store_sqlite_sql.hpp"
#include "stores/sqlite/json_array.hpp"

namespace makegood::sqlite {
namespace {

constexpr relational::Statements shared_statements = relational::statements_in<sql>();

/// Binds one value of a step.
struct Binding {
  Rows& rows;
  int index;

  void operator()(std::int64_t value) const { rows.bind(index, value); }
  void operator()(const std::string& text) const { rows.bind(index, text); }
  /// What is stored in whole milliseconds lies before a moment exactly if it lies before this.
  void operator()(TimePoint time) const {
    rows.bind(index, std::int64_t{std::chrono::ceil<std::chrono::milliseconds>(time.time_since_epoch()).count()});
  }
  void operator()(const std::optional<TimePoint>& time) const {
    if (time) (*this)(*time);  // Not bound is NULL.
  }
  void operator()(const relational::Blob& blob) const { rows.bind_blob(index, blob.bytes); }
  void operator()(const relational::Numbers& numbers) const { rows.bind(index, json_array_of(numbers)); }
  void operator()(const relational::Texts& texts) const { rows.bind(index, json_array_of(texts)); }
};

}  // namespace

const relational::Statements& Connection::statements() const { return shared_statements; }

Result<std::vector<relational::RowsPtr>> Connection::run(std::span<const relational::Step> steps) {
  std::vector<relational::RowsPtr> answers;
  for (const relational::Step& step : steps) {
    Rows rows = MAKEGOOD_TRY(query(step.sql));
    for (int index = 0; const relational::Value& value : step.values) std::visit(Binding{rows, ++index}, value);
    const bool has_row = MAKEGOOD_TRY(rows.next());
    answers.push_back(std::make_unique<relational::RowsOf<Rows>>(std::move(rows), has_row));
  }
  return answers;
}

/// For GLOB, which heeds case as topics do.
std::string Connection::topic_pattern(std::string_view pattern) const {
  std::string glob;
  for (const char c : pattern) {
    const bool is_sign = c == '?' || c == '[';
    glob += is_sign ? std::string{'[', c, ']'} : std::string(1, c);
  }
  return glob;
}

}  // namespace makegood::sqlite
