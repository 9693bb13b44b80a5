// Where messages go: destinations by name, and routes from topics to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "makegood/clock.hpp"
#include "makegood/retry_policy.hpp"

namespace makegood {

/// What a failed head means for the messages behind it, of the same tenant and key.
enum class Ordering {
  block,          ///< They wait until it is delivered or dead.
  skip,           ///< They pass it while it waits for its retry.
  block_on_dead,  ///< They wait even when it is dead, until it is replayed or quarantined.
};

/// When a destination counts as broken. While it does, attempts are not spent, but for one probe at a time.
struct CircuitPolicy {
  std::uint32_t failures_max = 10;              ///< In a row, without any definite answer between them; 0 = never.
  Duration wait_min = std::chrono::seconds(1);  ///< Before the first probe; doubled with each one that fails.
  Duration wait_max = std::chrono::seconds(60);
  bool operator==(const CircuitPolicy&) const = default;
};

struct Destination {
  std::string name = {};  ///< `transport:address`, for example `fn:billing`. Letters, digits and `_.:-/` only.
  std::size_t in_flight_max = 1024;
  double rate_max = 0;  ///< Sends per second; 0 = no limit.
  Duration timeout = std::chrono::seconds(30);
  RetryPolicy retry = {};
  Ordering ordering = Ordering::block;
  CircuitPolicy circuit = {};
  std::string tenant_id = {};  ///< On whose behalf it was registered; empty: the operator's own, which is trusted more.
  std::string settings = {};   ///< For its transport alone: a JSON object, such as `encode(HttpSettings)`, or empty.
  bool operator==(const Destination&) const = default;
};

using DestinationPtr = std::shared_ptr<const Destination>;

/// A topic pattern and the destination it leads to. `*` in a pattern stands for any run of characters; but topics
/// `makegood.*`, on which Makegood tells of itself, are matched only by patterns that begin so: who asks for everything
/// means everything of his own.
struct Route {
  std::string pattern;
  std::string destination;
  bool operator==(const Route&) const = default;
};

bool matches(std::string_view pattern, std::string_view topic);
bool is_destination_name(std::string_view name);

}  // namespace makegood
