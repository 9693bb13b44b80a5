// What an operator sees of an outbox, and asks of its lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/store.hpp"

namespace makegood {

struct DeadLetter {
  Parked parked;
  std::string topic;
  std::string event_id;
  TimePoint changed_at;
  std::string story;  ///< The attempts, a JSON array.
};

struct BlockedKey {
  Parked head;
  std::size_t waiting_count = 0;  ///< Parked behind it; not those that their producer has delayed.
};

/// The lane as its last turn tells it.
struct LaneView {
  Owner owner = {};  ///< Empty: the lane was never taken.
  TurnNumber turn = 0;
  TimePoint at = {};
  TimePoint lease_until = {};
  Sequence counter = 0;
  Position position = {};
  std::vector<Routing> routings = {};
};

/// What an operator sees and asks for. One thread at a time per object.
class DeadLetterStore {
 public:
  virtual ~DeadLetterStore() = default;
  /// Dead and quarantined deliveries of a tenant, by number, after the given one. An empty tenant means all.
  virtual Result<std::vector<DeadLetter>> list(std::string_view tenant_id, Sequence after, std::size_t rows_max) = 0;
  virtual Result<DeadLetter> inspect(std::string_view tenant_id, Sequence sequence, std::string_view destination) = 0;
  virtual Result<std::vector<BlockedKey>> blocked_keys(std::size_t rows_max) = 0;
  virtual Result<LaneView> lane() = 0;
  /// Appends a request and answers its id; the owner of the lane carries it out.
  virtual Result<std::int64_t> request(const NewRequest& request) = 0;
  /// What became of a request; empty while it is open.
  virtual Result<std::optional<std::string>> answer_to(std::int64_t request_id) = 0;
};

}  // namespace makegood
