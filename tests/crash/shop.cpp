#include "tests/crash/shop.hpp"

#include <fmt/format.h>

#include <charconv>

#include "makegood/id.hpp"
#include "tests/crash/failpoints.hpp"
#include "tests/crash/statement_points.hpp"

namespace makegood::crash {
namespace {

std::string_view to_string(Mood mood) {
  switch (mood) {
    case Mood::ok:
      return "ok";
    case Mood::moody:
      return "moody";
    case Mood::broken:
      return "broken";
  }
  return "";
}

std::string_view end_of(const Result<>& committed) {
  if (committed) return "committed";
  return committed.error().code == Errc::in_doubt ? "in_doubt" : "rolled_back";
}

}  // namespace

Result<std::unique_ptr<Shop>> Shop::open(const Place& place, const Chronicle& chronicle) {
  auto database = MAKEGOOD_TRY(open_database(place.url()));
  MAKEGOOD_TRY(database->open_shop());
  return std::unique_ptr<Shop>(new Shop(std::move(database), chronicle));
}

bool Shop::write(const Order& order, const std::string& event_id) {
  const std::string payload = fmt::format("\"{}:{}\"", to_string(order.mood), event_id);
  const std::string row =
      fmt::format("INSERT INTO orders (event_id, dispatch_key, payload, filler) VALUES ('{}', '{}', '{}', '{}')",
                  event_id, order.key, payload, std::string(order.filler_bytes, 'x'));
  // A careless program goes on after an error. If SQLite has rolled back by itself, the message must be refused.
  const bool is_ordered = database_->lock(order.key) && database_->run(row);
  pass("enqueue.ordered");
  const bool is_enqueued = database_->enqueue(
      {.topic = "order.placed", .payload = payload, .event_id = event_id, .dispatch_key = order.key});
  pass("enqueue.inserted");
  return is_ordered && is_enqueued;
}

bool Shop::write_all(const std::vector<Order>& orders, const std::vector<std::string>& event_ids) {
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (!write(orders[i], event_ids[i])) return false;
  }
  return true;
}

bool Shop::place_orders(const std::vector<Order>& orders, End end) {
  const Step step("enqueue");
  std::vector<std::string> event_ids;
  event_ids.reserve(orders.size());
  for (std::size_t i = 0; i < orders.size(); ++i) event_ids.push_back(new_uuid7());
  pass("enqueue.before");
  note_end("begun", event_ids);
  const bool is_written = database_->begin() && write_all(orders, event_ids);
  if (!is_written || end == End::roll_back) {
    if (database_->is_in_transaction()) database_->run("ROLLBACK");
    note_end("rolled_back", event_ids);
    return false;
  }
  const auto committed = database_->commit();
  note_end(end_of(committed), event_ids);
  if (database_->is_in_transaction()) database_->run("ROLLBACK");
  pass("enqueue.after");
  return committed.has_value();
}

void Shop::note_end(std::string_view end, const std::vector<std::string>& event_ids) const {
  for (const std::string& event_id : event_ids) chronicle_.note({end, event_id});
}

std::optional<std::int64_t> Shop::pending_count() {
  const auto rows = database_->ask(pending_messages);
  std::int64_t count = 0;
  if (rows.empty() || rows[0].empty()) return std::nullopt;
  const std::string& text = rows[0][0];
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;  // What it says instead.
  return count;
}

}  // namespace makegood::crash
