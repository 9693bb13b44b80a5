#include "stores/postgres/same_server.hpp"

#include <chrono>
#include <ranges>

#include "makegood_store_postgres_sql.hpp"
#include "stores/sql/transaction.hpp"

namespace makegood::postgres {
namespace {

using namespace std::chrono_literals;

constexpr auto answer_max = 2s;
constexpr std::size_t asked_max = 8;

/// False also when it does not answer, or refuses us.
bool sees_lock(const Connection& asking, const Place& place, std::int64_t key) {
  auto session = Session::connect_to(asking.url(), place);
  if (!session) return false;
  (*session)->wait_at_most(answer_max);
  const Step step{sql::sees_lock, Parameters(key)};
  Session::Answer answer = (*session)->run({&step, 1}, asking.outbox());
  return !answer.error && answer.rows.front().next() && answer.rows.front().boolean(0);
}

/// Others wait for nothing that this transaction holds, so it may stand still while we ask.
Result<std::int64_t> take_random_lock(Connection& connection) {
  MAKEGOOD_TRY(connection.execute(sql::wait_for_answers));
  return connection.number(sql::take_random_lock);
}

}  // namespace

Result<bool> leads_here(Connection& connection, std::span<const Place> places, const std::string& machine) {
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection));
  const std::int64_t key = MAKEGOOD_TRY(take_random_lock(connection));
  for (const Place& place : places | std::views::reverse | std::views::take(asked_max)) {
    const bool is_elsewhere = is_local(place.host) && place.machine != machine;
    if (!is_elsewhere && sees_lock(connection, place, key)) return true;
  }
  return false;
}

}  // namespace makegood::postgres
