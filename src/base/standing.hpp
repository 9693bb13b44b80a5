// How messages and deliveries stand, derived from one position, the routes and the parked deliveries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "makegood/spi/outbox_view.hpp"

namespace makegood {

/// What decides where a message goes and which lane carries it there.
struct MessageHead {
  Sequence sequence = 0;
  std::string_view tenant_id;
  std::string_view topic;
  std::string_view dispatch_key;
  int priority = 0;
};
MessageHead head_of(const Message& message);

/// What the parked deliveries of one message say together.
struct ParkedDigest {
  bool has_rows = false;
  bool is_dead = false;
  bool is_quarantined = false;
  bool is_under_way = false;
  bool is_waiting = false;  ///< Or held.
  std::uint32_t attempts = 0;
  TimePoint changed_at = {};
  std::optional<TimePoint> due_at = {};
  std::string last_error = {};

  void add(const Parked& row, TimePoint row_changed_at);
};

/// Of a delivery without a row of its own.
enum class Progress { pending, under_way, delivered };
std::string_view to_string(Progress progress);

class Standing {
 public:
  Standing(Position position, std::vector<Routing> routings);
  Standing(Standing&&) = default;  // A copy's side lanes would be those of the original.
  Standing& operator=(Standing&&) = default;

  Sequence reached() const { return position_.reached; }
  /// Everything up to here has ended or is parked.
  Sequence settled() const { return settled_; }
  const Position& position() const { return position_; }

  /// By the version of its number, each once, sorted. Empty: no route, or the version is no longer known.
  std::vector<std::string> destinations_of(const MessageHead& head) const;
  Progress progress_of(const MessageHead& head, std::string_view destination) const;
  MessageState state_of(const MessageHead& head, const ParkedDigest& parked) const;
  /// The side lane that carries the delivery: the innermost whose scope holds it. Null: the main lane does.
  const SideLane* carrier_of(const MessageHead& head, std::string_view destination) const;

 private:
  const Routing* version_of(Sequence sequence) const;
  bool is_under_way(Sequence sequence) const;
  bool is_in_main(Sequence sequence, std::string_view destination) const;
  bool is_in_a_side(Sequence sequence, std::string_view destination) const;
  bool is_open(Sequence sequence) const;
  bool is_carried_aside(const MessageHead& head) const;

  Position position_;
  std::vector<Routing> routings_;
  std::vector<const SideLane*> sides_;  ///< Without replays of history: those change nothing for their messages.
  Sequence settled_;
};

/// State, attempts, error and due time; `published_at` only where a parked delivery tells it.
void describe(MessageSummary& summary, MessageState state, const ParkedDigest& parked);

/// A delivery as its parked row tells it.
DeliveryView delivery_view(const Parked& row, std::vector<AttemptNote> story);

}  // namespace makegood
