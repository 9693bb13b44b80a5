// A connection as the code that all relational stores share sees it.
#include "stores/postgres/connection.hpp"

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/borrowed_database.hpp"

namespace makegood::postgres {
namespace {

constexpr relational::Statements shared_statements = relational::statements_in<sql>();

/// Adds one value of a step.
struct Binding {
  Parameters& parameters;

  template <class Simple>
  void operator()(const Simple& value) const {
    parameters.add(value);
  }
  void operator()(const relational::Blob& blob) const { parameters.add(Bytes{blob.bytes}); }
  void operator()(const relational::Numbers& numbers) const {
    Array array(Type::bigint);
    for (const std::int64_t number : numbers) array.add(number);
    parameters.add(std::move(array));
  }
  void operator()(const relational::Texts& texts) const {
    Array array(Type::text);
    for (const std::string& text : texts) array.add(text);
    parameters.add(std::move(array));
  }
};

Parameters parameters_of(const relational::Step& step) {
  Parameters parameters;
  for (const relational::Value& value : step.values) std::visit(Binding{parameters}, value);
  return parameters;
}

}  // namespace

const relational::Statements& Connection::statements() const { return shared_statements; }

Result<std::vector<relational::RowsPtr>> Connection::run(std::span<const relational::Step> steps) {
  if (!is_in_transaction()) MAKEGOOD_TRY(reconnect_if_lost());
  std::vector<Step> native;
  for (const relational::Step& step : steps) native.push_back({step.sql, parameters_of(step)});
  std::vector<relational::RowsPtr> answers;
  for (Rows& rows : MAKEGOOD_TRY(run(std::span<const Step>(native)))) {
    answers.push_back(std::make_unique<relational::RowsOf<Rows>>(std::move(rows)));
  }
  return answers;
}

Result<std::vector<bool>> Connection::answered(std::span<const relational::Step> steps) {
  std::vector<bool> have_rows;
  for (const relational::RowsPtr& rows : MAKEGOOD_TRY(run(steps))) have_rows.push_back(MAKEGOOD_TRY(rows->next()));
  return have_rows;
}

bool Connection::commits_by_itself() const {
  return !is_pooled() && session_settings_.data() == sql::key_session_settings.data();
}

const relational::Statements& BorrowedDatabase::statements() const { return shared_statements; }

Result<std::vector<relational::RowsPtr>> BorrowedDatabase::run(std::span<const relational::Step> steps) {
  std::vector<relational::RowsPtr> answers;
  for (const relational::Step& step : steps) {
    Rows rows = MAKEGOOD_TRY(borrowed_.run(step.sql, parameters_of(step)));
    answers.push_back(std::make_unique<relational::RowsOf<Rows>>(std::move(rows)));
  }
  return answers;
}

/// For LIKE.
std::string Connection::topic_pattern(std::string_view pattern) const {
  std::string like;
  for (const char c : pattern) {
    const bool is_sign = c == '\\' || c == '%' || c == '_';
    if (is_sign) like += '\\';
    like += c == '*' ? '%' : c;
  }
  return like;
}

}  // namespace makegood::postgres
