// What operators see of an outbox (lists, stories, backlogs, dead letters, its lane), and what they ask of its lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/message.hpp"
#include "makegood/spi/outbox_view.hpp"
#include "makegood/spi/store.hpp"

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
  std::string state;           ///< `pending`, `under_way`, `delivered`, or the state of its parked row.
  std::uint32_t attempts = 0;  ///< All sends.
  std::uint32_t answered = 0;  ///< Those that count against the limit.
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

/// What a rewind would send.
struct RewindView {
  std::size_t row_count = 0;
  std::size_t repeat_count = 0;  ///< Older than the turn that passed them: probably delivered before.
};

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
  Sequence highest = 0;             ///< In the log, 0 when it is empty. Above the counter: the database never drew it.
  bool is_counter_altered = false;  ///< Somebody has altered or restarted it since an owner has recorded it.
  Position position = {};
  LogTrouble stopped = LogTrouble::none;  ///< Why nothing is read until an operator says how to go on.
  std::vector<Routing> routings = {};
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

/// One thread at a time per object. Only `request` writes, and nothing here holds a lock that a producer or an owner
/// waits for.
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
  virtual Result<LaneView> lane() = 0;

  /// By number and destination, after the given one.
  virtual Result<std::vector<DeadLetter>> list_dead(const DeadFilter& filter, const DeadCursor& after,
                                                    std::size_t rows_max) = 0;
  virtual Result<std::size_t> count_dead(const DeadFilter& filter) = 0;
  /// The largest first.
  virtual Result<std::vector<DeadGroup>> group_dead(const DeadFilter& filter, std::size_t rows_max) = 0;
  /// A parked delivery, whatever its state. An empty tenant means: whoever's it is.
  virtual Result<DeadLetter> inspect(std::string_view tenant_id, Sequence sequence, std::string_view destination) = 0;
  virtual Result<std::vector<BlockedKey>> blocked_keys(std::size_t rows_max) = 0;
  /// Of a rewind to this message, or to the first that is there.
  virtual Result<RewindView> count_rewind(Sequence first) = 0;

  /// Appends a request and answers its id; the owner of the lane carries it out.
  virtual Result<std::int64_t> request(const NewRequest& request) = 0;
  /// What became of a request; empty while it is open.
  virtual Result<std::optional<std::string>> answer_to(std::int64_t request_id) = 0;
  /// Newest first, before the given id.
  virtual Result<std::vector<RequestView>> list_requests(std::optional<std::int64_t> before, std::size_t rows_max) = 0;
};

}  // namespace makegood
