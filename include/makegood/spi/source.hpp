// What comes from a broker: the seam that each kind of broker implements, and what it hands over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"

namespace makegood {

/// Where reading goes on in one part of a source. Only the source knows what `next` means.
struct SourcePlace {
  std::string partition;  ///< `orders/3`: a part that has an order of its own.
  std::string next;       ///< Never empty.
  bool operator==(const SourcePlace&) const = default;
};

/// A message as the broker had it.
struct Arrival {
  std::string partition;
  std::string at;     ///< Its own place, which no other message of the partition has.
  std::string next;   ///< Where reading goes on behind it.
  std::string topic;  ///< Of the broker.
  std::string key = {};
  std::optional<std::string> value = {};  ///< Nothing: the broker has a message without one.
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string unreadable_because = {};  ///< Why the source itself could not take all of it; empty: it could.
};

struct PollLimits {
  std::size_t rows_max = 500;
  std::size_t bytes_max = std::size_t{4} << 20;
};

struct Polled {
  std::vector<Arrival> arrivals = {};  ///< Of one partition in its order.
  /// What is to be read from now on, if that has changed. Nothing of it arrives before `start`.
  std::optional<std::vector<std::string>> partitions = {};
  /// Of these the broker no longer has what comes next; the others go on.
  std::vector<std::string> gone = {};
};

/// What a source suffers from that has lost a partition so.
inline constexpr std::string_view source_gone_code = "SOURCE.GONE";

/// A connection to a broker that reads. One thread uses it. An error that is retryable may pass; after any other
/// nothing more comes.
class Source {
 public:
  virtual ~Source() = default;
  /// Waits for the first message, `wait` at most.
  virtual Result<Polled> poll(const PollLimits& limits, Duration wait) = 0;
  /// Where a partition begins that nobody has read yet.
  virtual Result<std::string> first(const std::string& partition) = 0;
  /// Reads these from there, all that are to be read. What has arrived and was not polled is forgotten.
  virtual Result<> start(const std::vector<SourcePlace>& places) = 0;
  /// What lies before these is committed here; the broker may show it to others. Never what reading goes by.
  virtual void acknowledge(const std::vector<SourcePlace>& places) = 0;
  /// Nothing arrives while it is held; `poll` keeps the connection alive.
  virtual void hold(bool is_held) = 0;
  /// How many messages the broker has behind the last one that was polled, as far as is known.
  virtual std::map<std::string, std::int64_t> behind() = 0;
};

}  // namespace makegood
