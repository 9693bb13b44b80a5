// How far a lane has come in its log, exactly.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/message.hpp"
#include "makegood/result.hpp"

namespace makegood {

/// Everything up to `reached` is done or parked, except the holes. A hole is an open number (drawn, and its transaction
/// may still commit) or a delivery under way (read, perhaps sent, not yet known to have ended). All lists are sorted.
struct Position {
  Sequence reached = 0;
  std::vector<Sequence> open = {};
  std::map<std::string, std::vector<Sequence>, std::less<>> under_way = {};  ///< By destination; no list is empty.
  bool operator==(const Position&) const = default;
};

/// Everything up to here has ended or is parked.
Sequence settled(const Position& position);

/// As JSON, with runs of numbers as ranges: {"reached":9,"open":[[7,7]],"under_way":{"fn:billing":[[3,5],[8,8]]}}.
std::string encode(const Position& position);
Result<Position> decode_position(std::string_view json);

}  // namespace makegood
