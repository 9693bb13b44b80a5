// Whom a shard calls: a line to the endpoint of each destination, with its circuit, its rate and its places.
//
// **Who is missing.** A destination may not be registered, and a function may be another program's. Its steps wait;
// that is told once for each name, until it is there. What was registered a moment ago is not known here yet, so before
// a name counts as missing somebody asks once more which destinations there are.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/line.hpp"
#include "makegood/destination.hpp"
#include "makegood/result.hpp"

namespace makegood::core {

/// A URI of a definition, taken apart: `http:orders/create` is the destination `http:orders` and the path `create`; a
/// function is a destination of its own, and so is a whole URL, until somebody knows which destination carries it.
struct ParticipantName {
  std::string_view destination;
  std::string_view path = {};
};
ParticipantName participant_of(std::string_view uri);
/// The path below this destination; nothing: it does not carry the call.
std::optional<std::string_view> path_at(std::string_view uri, const Destination& destination);

class Participants {
 public:
  explicit Participants(Sharing sharing = {}) : sharing_(sharing) {}

  /// Those that are registered; what is known of one that stays is kept.
  void configure(const std::vector<Destination>& destinations);
  /// A step calls a destination that is not known yet: ask again which are registered. Told once.
  bool take_wish() { return std::exchange(has_wish_, false); }

  /// False: it has no place, its circuit is open, or nobody has registered it.
  bool take_place(std::string_view uri, MonotonicTime now);
  /// Nobody has registered it, or this process cannot call it.
  bool is_missing(std::string_view uri) const;
  /// Of those that are missing.
  std::vector<Error> take_alarms() { return std::exchange(alarms_, {}); }
  /// The destination that is called there: of a whole URL the one that carries it. As the URI says if there is none.
  std::string_view name_of(std::string_view uri) const;
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
  struct Sought {
    std::size_t since = 0;    ///< `configured_` then.
    bool is_missing = false;  ///< That was told.
  };
  Participant* find(std::string_view uri);
  Participant* add_function(std::string_view name);
  void seek(std::string_view name);
  void judge_presence(std::string_view name, const Outcome& outcome);

  const Sharing sharing_;
  std::map<std::string, Participant, std::less<>> participants_;
  std::vector<std::string> urls_;                      ///< Of registered destinations …
  std::vector<std::string> names_;                     ///< … and their names, in the same order.
  std::map<std::string, Sought, std::less<>> sought_;  ///< Called in vain.
  std::size_t configured_ = 0;                         ///< How often it was told which are registered.
  bool has_wish_ = false;
  std::vector<Error> alarms_;
};

}  // namespace makegood::core
