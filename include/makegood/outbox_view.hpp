// What has become of messages: lists, stories, backlogs, groups of dead letters. Reads only.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/dead_letters.hpp"
#include "makegood/message.hpp"
#include "makegood/store.hpp"

namespace makegood {

/// As in the status view: what is true of a message as a whole, the worst of its deliveries first.
enum class MessageState { pending, leased, done, dead, quarantined };
std::string_view to_string(MessageState state);
std::optional<MessageState> message_state_from(std::string_view text);

/// An empty field means: all.
struct MessageFilter {
  std::string tenant_id = {};
  std::string topic = {};  ///< A pattern, as in a route; but `*` alone means all.
  std::string dispatch_key = {};
  std::string event_id = {};
  std::optional<MessageState> state = {};
  std::optional<TimePoint> created_from = {};   ///< This moment included.
  std::optional<TimePoint> created_until = {};  ///< This moment not included.
};

struct MessageSummary {
  Sequence sequence = 0;
  std::string event_id;
  std::string tenant_id;
  std::string topic;
  std::string dispatch_key;
  int priority = 0;
  MessageState state = MessageState::pending;
  std::uint32_t attempts = 0;
  TimePoint created_at = {};
  std::optional<TimePoint> published_at = {};
  std::optional<TimePoint> available_at = {};
  std::string last_error = {};
};

/// Newest first. A page costs a bounded amount of reading: it may hold few messages, or none, and still not be the
/// last.
struct MessagePage {
  std::vector<MessageSummary> messages = {};
  std::optional<Sequence> next = {};  ///< `before` of the next page; nothing: this was the last.
};

struct RequestView {
  std::int64_t id = 0;
  NewRequest asked;
  TimePoint created_at = {};
  std::optional<TimePoint> done_at = {};
  std::string result = {};  ///< Empty while it is open.
};

/// One message on its way to one destination.
struct DeliveryView {
  std::string destination;
  std::string state;  ///< `pending`, `under_way`, `delivered`, or the state of its parked row.
  std::uint32_t attempts = 0;
  bool blocks = false;
  std::optional<TimePoint> due_at = {};
  std::string error_code = {};
  std::string last_error = {};
  std::vector<AttemptNote> story =
      {};  ///< Each attempt, oldest first. Of one that went well at once: the turn that says so.
};

struct MessageView {
  MessageSummary summary;
  MessagePtr message;
  std::vector<DeliveryView> deliveries = {};
  std::vector<RequestView> requests = {};  ///< What operators have asked about it, notes included; oldest first.
};

struct DestinationBacklog {
  std::string destination;
  std::size_t under_way_count = 0;
  std::size_t waiting_count = 0;  ///< For a retry, or delayed.
  std::size_t held_count = 0;
  std::size_t dead_count = 0;
  std::size_t quarantined_count = 0;
  std::optional<TimePoint> oldest_at = {};  ///< When the oldest message that is not through was created.
};

struct Backlog {
  std::size_t pending_count = 0;  ///< Numbers beyond the position: not read yet.
  std::optional<TimePoint> oldest_pending_at = {};
  std::vector<DestinationBacklog> destinations =
      {};  ///< Those with a parked delivery, a side lane or something under way.
};

/// Which dead letters. An empty field means: all.
struct DeadFilter {
  std::string tenant_id = {};
  std::string topic = {};  ///< A pattern, as in MessageFilter.
  std::string destination = {};
  std::string error_code = {};
  std::optional<ParkedState> state = {};  ///< `dead` or `quarantined`; nothing: both.
  std::optional<TimePoint> changed_from = {};
  std::optional<TimePoint> changed_until = {};
};

/// Where a list of dead letters goes on: after this one.
struct DeadCursor {
  Sequence sequence = 0;
  std::string destination = {};
};

struct DeadGroup {
  std::string topic;
  std::string destination;
  std::string error_code;
  std::size_t count = 0;
  TimePoint first_at = {};
  TimePoint last_at = {};
  Sequence example = 0;  ///< The newest.
  std::string example_error = {};
};

/// One thread at a time per object. Nothing here writes, or holds a lock that a producer or an owner waits for.
class OutboxView {
 public:
  virtual ~OutboxView() = default;
  virtual Result<MessagePage> list(const MessageFilter& filter, std::optional<Sequence> before,
                                   std::size_t rows_max) = 0;
  /// Errc::not_found when neither the log nor what is kept has it.
  virtual Result<MessageView> story(Sequence sequence) = 0;
  /// The number of an event of a tenant; an empty tenant means: whichever has it, if only one has.
  virtual Result<Sequence> find_event(std::string_view tenant_id, std::string_view event_id) = 0;
  virtual Result<Backlog> backlog() = 0;
  /// By number and destination, after the given one.
  virtual Result<std::vector<DeadLetter>> list_dead(const DeadFilter& filter, const DeadCursor& after,
                                                    std::size_t rows_max) = 0;
  virtual Result<std::size_t> count_dead(const DeadFilter& filter) = 0;
  /// The largest first.
  virtual Result<std::vector<DeadGroup>> group_dead(const DeadFilter& filter, std::size_t rows_max) = 0;
  /// Newest first, before the given id.
  virtual Result<std::vector<RequestView>> list_requests(std::optional<std::int64_t> before, std::size_t rows_max) = 0;
};

}  // namespace makegood
