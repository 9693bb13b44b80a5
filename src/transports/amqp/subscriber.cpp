#include "transports/amqp/subscriber.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/new_row.hpp"

namespace makegood::amqp {
namespace {

constexpr std::uint16_t messages_channel = 1;
constexpr std::uint16_t length_channel = 2;
/// A reader that is frozen gives its messages back after twice this time.
constexpr std::uint16_t heartbeat_seconds = 10;

constexpr std::uint32_t queue_declare = method_id(50, 10);
constexpr std::uint32_t queue_declare_ok = method_id(50, 11);
constexpr std::uint32_t basic_qos = method_id(60, 10);
constexpr std::uint32_t basic_consume = method_id(60, 20);
constexpr std::uint32_t basic_consume_ok = method_id(60, 21);
constexpr std::uint32_t basic_cancel = method_id(60, 30);
constexpr std::uint32_t basic_deliver = method_id(60, 60);
constexpr std::uint8_t passive = 1;
constexpr std::uint8_t multiple = 1;
constexpr std::uint16_t reply_success = 200;

// By these names all sources have them.
constexpr std::string_view event_prefix = "cloudEvents_";
constexpr std::string_view other_event_prefix = "cloudEvents:";

std::string header_name(std::string_view name) {
  for (const std::string_view prefix : {event_prefix, other_event_prefix}) {
    if (name.starts_with(prefix)) return fmt::format("ce_{}", name.substr(prefix.size()));
  }
  return std::string(name);
}

}  // namespace

Subscriber::Subscriber(std::string queue, std::string username, std::string vhost, broker::Credentials credentials)
    : queue_(std::move(queue)),
      greeting_(std::move(username), std::move(vhost), std::move(credentials), heartbeat_seconds) {}

Result<std::size_t> Subscriber::receive(std::string_view bytes) {
  if (bytes.starts_with("AMQP")) return other_version();
  std::size_t consumed = 0;
  for (;;) {
    const auto frame = MAKEGOOD_TRY(parse_frame(bytes.substr(consumed), greeting_.frame_bytes_max()));
    if (!frame) return consumed;
    MAKEGOOD_TRY(take(*frame));
    consumed += frame->payload.size() + frame_overhead;
  }
}

// What the server says
// --------------------------------------------------------------------------------------------------------------------

Result<> Subscriber::take(const Frame& frame) {
  FieldReader fields(frame.payload);
  if (frame.kind == FrameKind::heartbeat) return {};
  if (frame.kind == FrameKind::header) return take_header(fields);
  if (frame.kind == FrameKind::body) return take_body(frame.payload), Result<>();
  const std::uint32_t method = fields.number32();
  if (frame.channel == messages_channel) take_method(method, fields);
  if (frame.channel == length_channel) take_length(method, fields);
  if (frame.channel == 0) MAKEGOOD_TRY(greeting_.take(method, fields, outgoing_));
  return fields.is_sound() ? Result<>() : garbled();
}

void Subscriber::take_method(std::uint32_t method, FieldReader& fields) {
  if (method == channel_close_ok && state_ == State::closing) return open_channel();
  if (state_ == State::closing) return;  // What still comes on it goes back to the queue.
  if (method == basic_consume_ok) {
    state_ = State::subscribed;
  } else if (method == basic_deliver) {
    take_delivery(fields);
  } else if (method == channel_close) {
    refuse(fields);
  } else if (method == basic_cancel) {
    refusal_ = "The server has ended the subscription: the queue was removed, or its node is gone.";
    state_ = State::refused;
  }
}

void Subscriber::refuse(FieldReader& fields) {
  const std::uint16_t code = fields.number16();
  refusal_ = fmt::format("The server says {} {}.", code, fields.short_text());
  FrameWriter(outgoing_, FrameKind::method, messages_channel).number32(channel_close_ok);
  state_ = State::refused;
  coming_.reset();
}

/// Who may not ask is not told, and reads all the same.
void Subscriber::take_length(std::uint32_t method, FieldReader& fields) {
  if (method == queue_declare_ok) {
    fields.short_text();
    length_ = fields.number32();
  } else if (method == channel_close) {
    FrameWriter(outgoing_, FrameKind::method, length_channel).number32(channel_close_ok);
    may_ask_length_ = false;
  }
}

void Subscriber::take_delivery(FieldReader& fields) {
  coming_.emplace();
  fields.short_text();  // Ours.
  coming_->received.tag = fields.number64();
  fields.octet();       // Whether it was delivered before.
  fields.short_text();  // The exchange.
  Arrival& arrival = coming_->received.arrival;
  arrival.partition = queue_;
  arrival.topic = fields.short_text();
  arrival.value.emplace();
}

Result<> Subscriber::take_header(FieldReader fields) {
  if (!coming_) return {};
  Arrival& arrival = coming_->received.arrival;
  fields.number16();
  fields.number16();
  coming_->bytes = coming_->left = fields.number64();
  const std::uint16_t flags = fields.number16();
  const auto has = [flags](std::uint16_t property) { return (flags & property) != 0; };
  if (has(has_content_type)) arrival.headers.emplace_back("content-type", fields.short_text());
  if (has(has_content_encoding)) arrival.headers.emplace_back("content-encoding", fields.short_text());
  if (has(has_headers)) {
    MAKEGOOD_TRY(for_each_text(fields.long_text(), [&](std::string_view name, std::string value) {
      if (name != token_header) arrival.headers.emplace_back(header_name(name), std::move(value));
    }));
  }
  if (has(has_delivery_mode)) fields.octet();
  if (has(has_priority)) fields.octet();
  if (has(has_correlation_id)) arrival.headers.emplace_back("correlation_id", fields.short_text());
  if (has(has_reply_to)) arrival.headers.emplace_back("reply_to", fields.short_text());
  if (has(has_expiration)) fields.short_text();
  // After the headers: an event id that its producer names so comes first.
  if (has(has_message_id)) arrival.headers.emplace_back("id", fields.short_text());
  if (has(has_timestamp)) fields.number64();
  if (has(has_type)) arrival.headers.emplace_back("eventType", fields.short_text());
  if (!fields.is_sound()) return garbled();
  if (coming_->left == 0) end_content();
  return {};
}

/// What is more than a log takes is not kept in memory either.
void Subscriber::take_body(std::string_view part) {
  if (!coming_) return;
  coming_->left -= std::min<std::uint64_t>(coming_->left, part.size());
  if (coming_->bytes <= content_bytes_highest) coming_->received.arrival.value->append(part);
  if (coming_->left == 0) end_content();
}

void Subscriber::end_content() {
  Arrival& arrival = coming_->received.arrival;
  if (coming_->bytes > content_bytes_highest) {
    arrival.unreadable_because = fmt::format("It has {} bytes, more than a log takes.", coming_->bytes);
  }
  received_.push_back(std::move(coming_->received));
  coming_.reset();
}

// What we say
// --------------------------------------------------------------------------------------------------------------------

void Subscriber::subscribe(std::uint16_t prefetch) {
  prefetch_ = prefetch;
  received_.clear();
  coming_.reset();
  refusal_.clear();
  if (state_ == State::closed || state_ == State::refused) return open_channel();
  state_ = State::closing;
  FrameWriter(outgoing_, FrameKind::method, messages_channel)
      .number32(channel_close)
      .number16(reply_success)
      .short_text({})
      .number16(0)
      .number16(0);
}

void Subscriber::open_channel() {
  state_ = State::subscribing;
  FrameWriter(outgoing_, FrameKind::method, messages_channel).number32(channel_open).short_text({});
  FrameWriter(outgoing_, FrameKind::method, messages_channel)
      .number32(basic_qos)
      .number32(0)
      .number16(prefetch_)
      .octet(0);
  FrameWriter(outgoing_, FrameKind::method, messages_channel)
      .number32(basic_consume)
      .number16(0)
      .short_text(queue_)
      .short_text({})
      .octet(0)
      .number32(0);
}

void Subscriber::acknowledge(std::uint64_t tag) {
  if (state_ != State::subscribed) return;
  FrameWriter(outgoing_, FrameKind::method, messages_channel).number32(basic_ack).number64(tag).octet(multiple);
}

void Subscriber::ask_length() {
  if (!may_ask_length_) return;
  if (!std::exchange(has_length_channel_, true)) {
    FrameWriter(outgoing_, FrameKind::method, length_channel).number32(channel_open).short_text({});
  }
  FrameWriter(outgoing_, FrameKind::method, length_channel)
      .number32(queue_declare)
      .number16(0)
      .short_text(queue_)
      .octet(passive)
      .number32(0);
}

void Subscriber::beat() { FrameWriter(outgoing_, FrameKind::heartbeat, 0); }

}  // namespace makegood::amqp
