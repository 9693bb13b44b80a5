#include "stores/postgres/news.hpp"

#include <numeric>

#include "makegood_store_postgres_sql.hpp"

namespace makegood::postgres {
namespace {

constexpr auto asleep_interval = std::chrono::milliseconds(100);

}  // namespace

void News::begin(Connection& connection) {
  expect();
  wake_up_.begin(connection);
  is_just_taken_ = true;
}

bool News::has_come(Connection& connection, const OpenNumbers& open, MonotonicTime now) {
  is_just_taken_ = false;
  const bool was_asleep = wake_up_.is_asleep();
  if (wake_up_.was_rung(now)) expect();  // There is news until the next look.
  if (connection.is_lost() || !seen_to_) return true;
  // Whoever commits would ring; but a trigger can be switched off.
  if (was_asleep && wake_up_.is_asleep() && now - asked_at_ < asleep_interval) return false;
  asked_at_ = now;
  const bool has_come = ask(connection, open);
  if (has_come || was_asleep || !wake_up_.fall_asleep(now)) return has_come;
  return ask(connection, open);  // What was committed before we slept did not ring.
}

bool News::ask(Connection& connection, const OpenNumbers& open) {
  const NumberSet awake = without(open_, open.asleep());
  if (!awake.empty() || !requests_.empty()) return ask_with(connection, RangeArrays(awake), open);
  auto rows = connection.query(sql::has_news, *seen_to_, array_of(open.waited_for()));
  if (!rows || !rows->next()) return true;
  has_just_no_request_ = !rows->boolean(1);
  return rows->boolean(0) || rows->boolean(1) || rows->boolean(2);
}

bool News::ask_with(Connection& connection, const RangeArrays& awake, const OpenNumbers& open) {
  const std::int64_t sum = std::accumulate(requests_.begin(), requests_.end(), std::int64_t{0});
  auto rows = connection.query(sql::has_changed, *seen_to_, awake.lows, awake.highs, requests_.size(), sum,
                               array_of(open.waited_for()));
  return !rows || !rows->next() || rows->boolean(0);
}

/// Right after a taking it is told, to be listened to at all.
int News::descriptor() const { return is_just_taken_ || wake_up_.is_asleep() ? wake_up_.descriptor() : -1; }

void News::saw_requests(std::span<const Request> requests) {
  requests_.clear();
  for (const Request& request : requests) requests_.push_back(request.id);
}

void News::answered(std::span<const RequestAnswer> answers) {
  for (const RequestAnswer& answer : answers) std::erase(requests_, answer.id);
}

}  // namespace makegood::postgres
