// A message as the producer hands it in, and as it is read back from the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "makegood/clock.hpp"

namespace makegood {

/// The message's number in its log; drawn by the database and by nobody else.
using Sequence = std::int64_t;

/// Whose message it is when nobody says so.
inline constexpr std::string_view default_tenant_id = "default";

/// What a producer enqueues. Only `topic` and one of `payload` and `body` are needed.
struct NewMessage {
  std::string topic;
  std::string payload = {};              ///< JSON, kept and delivered byte for byte. Used when `body` is not set.
  std::optional<std::string> body = {};  ///< Bytes that are not JSON.
  std::string event_id = {};             ///< Deduplicates per tenant; drawn if empty (a UUIDv7).
  std::string tenant_id = std::string(default_tenant_id);
  std::string dispatch_key = {};  ///< Messages of one tenant and key are delivered in order.
  int priority = 0;
  std::string content_type = {};  ///< Empty: application/json for a payload, application/octet-stream for a body.
  std::map<std::string, std::string> headers = {};
  std::string envelope_id = {};
  std::string traceparent = {};
  std::string tracestate = {};
  std::optional<TimePoint> available_at = {};  ///< Not before this moment.
  std::optional<TimePoint> expires_at = {};    ///< Not after this moment: then it is dead (`TX.EXPIRED`).
  /// `event_id` was drawn for this message and names no other: a store need not look whether it is there already.
  bool is_id_drawn = false;
};

/// The W3C's Trace Context of what the program is doing at this moment.
struct TraceContext {
  std::string traceparent = {};  ///< Empty: there is none.
  std::string tracestate = {};
};
/// Asked at each enqueue of a message that names no trace itself.
using TraceSource = std::function<TraceContext()>;

/// What a topic has to look like at enqueue.
enum class TopicGrammar {
  any,       ///< 1 to 255 bytes, no control characters.
  versioned  ///< `<module>.<aggregate>.<event>.vN`, lower case letters, digits, `.` and `-`, under 128 bytes.
};

/// What enqueue answers: the number, and whether the same event was already there.
struct Enqueued {
  Sequence sequence = 0;
  bool was_there = false;
};

/// A committed message. Its texts are views of bytes that live as long as it does; a store lays them right behind it,
/// so that reading one costs one allocation.
class Message {
 public:
  Message() = default;
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  Sequence sequence = 0;
  std::string_view event_id;
  std::string_view tenant_id;
  std::string_view topic;
  std::string_view dispatch_key;  ///< Empty: no order is promised.
  std::string_view content;       ///< The payload or the body, byte for byte.
  std::string_view content_type;
  std::string_view headers;  ///< A JSON object of texts, or empty.
  std::string_view envelope_id;
  std::string_view traceparent;
  std::string_view tracestate;
  int priority = 0;
  bool is_json = true;  ///< `content` came from `payload`, not from `body`.
  TimePoint created_at;
  TimePoint available_at;
  std::optional<TimePoint> expires_at;
  std::size_t text_bytes = 0;  ///< Of all texts together.
};

using MessagePtr = std::shared_ptr<const Message>;

/// Roughly what a message costs in memory; the unit of the byte limits.
std::size_t bytes_of(const Message& message);

}  // namespace makegood
