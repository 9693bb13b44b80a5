// A producer with a connection of its own. Each message has a business row in the same transaction: the marker that
// tells later whether a transaction of unknown outcome was committed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/crash/database.hpp"
#include "tests/crash/place.hpp"

namespace makegood::crash {

/// How the handler takes a message: at once, at the second attempt, or not before it has been repaired.
enum class Mood { ok, moody, broken };

struct Order {
  std::string key = {};
  Mood mood = Mood::ok;
  std::size_t filler_bytes = 0;  ///< In the business row.
};

enum class End { commit, roll_back };

class Shop {
 public:
  /// The tables of the outbox must be there. `chronicle` outlives the shop.
  static Result<std::unique_ptr<Shop>> open(const Place& place, const Chronicle& chronicle);

  /// One transaction. True: it was committed.
  bool place_orders(const std::vector<Order>& orders, End end = End::commit);
  /// Messages that are neither delivered nor dead; nothing when the database cannot be asked.
  std::optional<std::int64_t> pending_count();
  Database& database() { return *database_; }

 private:
  Shop(std::unique_ptr<Database> database, const Chronicle& chronicle)
      : database_(std::move(database)), chronicle_(chronicle) {}
  bool write(const Order& order, const std::string& event_id);
  bool write_all(const std::vector<Order>& orders, const std::vector<std::string>& event_ids);
  void note_end(std::string_view end, const std::vector<std::string>& event_ids) const;

  const std::unique_ptr<Database> database_;
  const Chronicle& chronicle_;
};

}  // namespace makegood::crash
