// Whom a shard calls: a line to the endpoint of each destination, with its circuit, its rate and its places.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/line.hpp"
#include "makegood/destination.hpp"

namespace makegood::core {

/// A URI of a definition, taken apart: `http:orders/create` is the destination `http:orders` and the path `create`; a
/// function and a whole URL are destinations of their own.
struct ParticipantName {
  std::string_view destination;
  std::string_view path = {};
};
ParticipantName participant_of(std::string_view uri);

class Participants {
 public:
  explicit Participants(Sharing sharing = {}) : sharing_(sharing) {}

  /// Those that are registered; what is known of one that stays is kept.
  void configure(const std::vector<Destination>& destinations);

  /// False: it has no place, its circuit is open, or nobody has registered it.
  bool take_place(std::string_view uri, MonotonicTime now);
  /// How long to wait before asking again.
  Duration wait_for_place(std::string_view uri, MonotonicTime now);
  void ended(std::string_view uri, const Outcome& outcome, bool was_probe, MonotonicTime now, TimePoint store_now);
  /// Whether the place that was taken last is a probe's.
  bool is_probe(std::string_view uri) const;
  DestinationPtr settings_of(std::string_view uri) const;
  /// What others of the process have done to the circuits that it shares with them.
  void hear(TimePoint store_now);
  std::size_t broken_count() const;
  /// Nothing is in flight any more.
  void clear();

 private:
  struct Participant {
    DestinationPtr settings;
    Line endpoint;
    bool is_probing = false;
  };
  Participant* find(std::string_view uri);
  Participant* add_function(std::string_view name);

  const Sharing sharing_;
  std::map<std::string, Participant, std::less<>> participants_;
};

}  // namespace makegood::core
