// A connection as the code that all relational stores share sees it.
#include "stores/postgres/connection.hpp"

#include "makegood_store_postgres_sql.hpp"

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

}  // namespace

const relational::Statements& Connection::statements() const { return shared_statements; }

Result<std::vector<relational::RowsPtr>> Connection::run(std::span<const relational::Step> steps) {
  if (!is_in_transaction()) MAKEGOOD_TRY(reconnect_if_lost());
  std::vector<Step> native;
  for (const relational::Step& step : steps) {
    Parameters& parameters = native.emplace_back(step.sql, Parameters()).values;
    for (const relational::Value& value : step.values) std::visit(Binding{parameters}, value);
  }
  std::vector<relational::RowsPtr> answers;
  for (Rows& rows : MAKEGOOD_TRY(run(std::span<const Step>(native)))) {
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
