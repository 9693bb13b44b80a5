#include "transports/amqp/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "transports/amqp/dialect.hpp"
#include "transports/broker/headers.hpp"

namespace makegood::amqp {
namespace {

using broker::code_text;
using broker::Token;

constexpr std::string_view preamble("AMQP\0\0\x09\x01", 8);
constexpr std::size_t text_bytes_max = 255;
/// Names one publication in what comes back.
constexpr std::string_view token_header = "makegood_send";

constexpr std::uint32_t connection_start = method_id(10, 10);
constexpr std::uint32_t connection_start_ok = method_id(10, 11);
constexpr std::uint32_t connection_tune = method_id(10, 30);
constexpr std::uint32_t connection_tune_ok = method_id(10, 31);
constexpr std::uint32_t connection_open = method_id(10, 40);
constexpr std::uint32_t connection_open_ok = method_id(10, 41);
constexpr std::uint32_t connection_close = method_id(10, 50);
constexpr std::uint32_t connection_blocked = method_id(10, 60);
constexpr std::uint32_t connection_unblocked = method_id(10, 61);
constexpr std::uint32_t channel_open = method_id(20, 10);
constexpr std::uint32_t channel_close = method_id(20, 40);
constexpr std::uint32_t channel_close_ok = method_id(20, 41);
constexpr std::uint32_t confirm_select = method_id(85, 10);
constexpr std::uint32_t basic_publish = method_id(60, 40);
constexpr std::uint32_t basic_return = method_id(60, 50);
constexpr std::uint32_t basic_ack = method_id(60, 80);
constexpr std::uint32_t basic_nack = method_id(60, 120);

constexpr std::uint16_t basic_class = 60;
constexpr std::uint16_t precondition_failed = 406;
constexpr std::uint8_t mandatory = 1;
constexpr std::uint8_t persistent = 2;
constexpr std::uint16_t has_content_type = 0x8000;
constexpr std::uint16_t has_headers = 0x2000;
constexpr std::uint16_t has_delivery_mode = 0x1000;
constexpr std::uint16_t has_message_id = 0x0080;

Table client_properties() {
  Table capabilities;
  capabilities.flag("publisher_confirms", true)
      .flag("connection.blocked", true)
      .flag("authentication_failure_close", true);
  Table properties;
  properties.text("product", "makegood").text("version", MAKEGOOD_VERSION).table("capabilities", capabilities);
  return properties;
}

Result<Table> headers_of(const Delivery& delivery, Token token) {
  Table headers;
  headers.number(token_header, token);
  MAKEGOOD_TRY(broker::for_each_header(
      delivery, "cloudEvents_", [&](std::string_view name, std::string_view value) { headers.text(name, value); }));
  return headers;
}

void append_header(std::string& to, std::uint16_t channel, const Message& message, const Table& headers) {
  const bool has_id = message.event_id.size() <= text_bytes_max;
  FrameWriter frame(to, FrameKind::header, channel);
  frame.number16(basic_class).number16(0).number64(message.content.size());
  frame.number16(
      static_cast<std::uint16_t>(has_content_type | has_headers | has_delivery_mode | (has_id ? has_message_id : 0)));
  frame.short_text(message.content_type).long_text(headers.bytes()).octet(persistent);
  if (has_id) frame.short_text(message.event_id);
}

}  // namespace

Protocol::Protocol(std::string username, std::string vhost, broker::Credentials credentials)
    : username_(std::move(username)), vhost_(std::move(vhost)), credentials_(std::move(credentials)) {}

void Protocol::begin() { outgoing_ += preamble; }

// What the server says
// --------------------------------------------------------------------------------------------------------------------

Result<std::size_t> Protocol::receive(std::string_view bytes) {
  if (bytes.starts_with("AMQP")) return Error{Errc::unavailable, "The server speaks another version of AMQP."};
  std::size_t consumed = 0;
  for (;;) {
    const auto frame = MAKEGOOD_TRY(parse_frame(bytes.substr(consumed), frame_bytes_max_));
    if (!frame) return consumed;
    MAKEGOOD_TRY(take(*frame));
    consumed += frame->payload.size() + frame_overhead;
  }
}

Result<> Protocol::take(const Frame& frame) {
  if (frame.kind == FrameKind::heartbeat || frame.kind == FrameKind::body) return {};
  if (frame.kind == FrameKind::header) {
    const auto channel = channels_.find(frame.channel);
    if (channel != channels_.end()) take_returned(channel->second, frame);
    return {};
  }
  FieldReader fields(frame.payload);
  const std::uint32_t method = fields.number32();
  MAKEGOOD_TRY(frame.channel == 0 ? take_connection_method(method, fields)
                                  : take_channel_method(frame.channel, method, fields));
  if (!fields.is_sound()) return Error{Errc::unavailable, "It does not speak AMQP 0.9.1."};
  return {};
}

Result<> Protocol::take_connection_method(std::uint32_t method, FieldReader& fields) {
  switch (method) {
    case connection_start:
      fields.number16();   // Its version.
      fields.long_text();  // Its properties.
      return greet(fields.long_text());
    case connection_tune:
      tune(fields);
      return {};
    case connection_open_ok:
      is_ready_ = true;
      return {};
    case connection_blocked:
      blocked_because_ = fmt::format("The server takes nothing for now ({}).", fields.short_text());
      return {};
    case connection_unblocked:
      blocked_because_.clear();
      return {};
    case connection_close: {
      const std::uint16_t code = fields.number16();
      return Error{Errc::unavailable, fmt::format("The server says {} {}.", code, fields.short_text())};
    }
    default:
      return {};
  }
}

Result<> Protocol::greet(std::string_view mechanisms) {
  if (!mechanisms.contains("PLAIN")) return Error{Errc::unavailable, "The server does not take passwords (PLAIN)."};
  const auto password = credentials_.find("password");
  std::string response("\0", 1);
  response.append(username_.empty() ? "guest" : username_).push_back('\0');
  response += password == credentials_.end() ? "guest" : password->second;
  credentials_.clear();
  FrameWriter(outgoing_, FrameKind::method, 0)
      .number32(connection_start_ok)
      .long_text(client_properties().bytes())
      .short_text("PLAIN")
      .long_text(response)
      .short_text("en_US");
  return {};
}

/// Without heartbeats: whether the other side is there, TCP tells (Stream).
void Protocol::tune(FieldReader& fields) {
  const std::uint16_t channels_max = fields.number16();
  const std::uint32_t frame_bytes_max = fields.number32();
  if (channels_max != 0) channels_max_ = std::min(channels_max_, channels_max);
  if (frame_bytes_max != 0) frame_bytes_max_ = std::min<std::size_t>(frame_bytes_max_, frame_bytes_max);
  FrameWriter(outgoing_, FrameKind::method, 0)
      .number32(connection_tune_ok)
      .number16(channels_max_)
      .number32(static_cast<std::uint32_t>(frame_bytes_max_))
      .number16(0);
  FrameWriter(outgoing_, FrameKind::method, 0).number32(connection_open).short_text(vhost_).short_text({}).octet(0);
}

Result<> Protocol::take_channel_method(std::uint16_t number, std::uint32_t method, FieldReader& fields) {
  const auto found = channels_.find(number);
  if (found == channels_.end()) return {};
  Channel& channel = found->second;
  if (method == basic_ack || method == basic_nack) {
    const std::uint64_t tag = fields.number64();
    const bool is_multiple = (fields.octet() & 1U) != 0;
    confirm(channel, tag, is_multiple, method == basic_ack);
  } else if (method == basic_return) {
    const std::uint16_t code = fields.number16();
    const std::string_view why = fields.short_text();
    const std::string_view exchange = fields.short_text();
    channel.returning = fmt::format("No queue gets it: {} {} (exchange `{}`, routing key `{}`).", code, why, exchange,
                                    fields.short_text());
  } else if (method == channel_close) {
    close_channel(number, fields);
  }
  return {};
}

void Protocol::confirm(Channel& channel, std::uint64_t tag, bool is_multiple, bool is_stored) {
  auto& unconfirmed = channel.unconfirmed;
  const auto end = unconfirmed.upper_bound(tag);
  auto begin = is_multiple ? unconfirmed.begin() : unconfirmed.find(tag);
  if (begin == unconfirmed.end()) return;
  for (auto each = begin; each != end; ++each) confirm_one(channel, each->second, is_stored);
  unconfirmed.erase(begin, end);
}

void Protocol::confirm_one(Channel& channel, Token token, bool is_stored) {
  if (const auto returned = channel.returned.extract(token)) {
    return answers_.push_back({token, Reply::unreachable(code_text(Errc::unavailable), returned.mapped())});
  }
  answers_.push_back({token, is_stored ? Reply::said(Outcome::ok())
                                       : Reply::said(Outcome::retry("AMQP.NACK", "The server could not store it."))});
}

/// What comes back begins with the properties as we have written them.
void Protocol::take_returned(Channel& channel, const Frame& header) {
  FieldReader fields(header.payload);
  fields.number16();
  fields.number16();
  fields.number64();
  const std::uint16_t flags = fields.number16();
  if ((flags & has_content_type) != 0) fields.short_text();
  const std::string_view table = (flags & has_headers) != 0 ? fields.long_text() : std::string_view();
  const auto token = number_in_table(table, token_header);
  if (token) channel.returned.emplace(*token, channel.returning);
}

/// The server ends a channel over one of its publications and does not say which; those before it may be stored.
void Protocol::close_channel(std::uint16_t number, FieldReader& fields) {
  const std::uint16_t code = fields.number16();
  const std::string why = fmt::format("The server says {} {}.", code, fields.short_text());
  const auto channel = channels_.extract(number);
  const auto& unconfirmed = channel.mapped().unconfirmed;
  const bool is_its_fault = unconfirmed.size() == 1 && code == precondition_failed;
  for (const auto& [tag, token] : unconfirmed) {
    answers_.push_back({token, is_its_fault ? Reply::said(Outcome::fail(fmt::format("AMQP.{}", code), why))
                                            : Reply::silent(code_text(Errc::unavailable), why)});
  }
  FrameWriter(outgoing_, FrameKind::method, number).number32(channel_close_ok);
}

// What we say
// --------------------------------------------------------------------------------------------------------------------

/// One that is new is opened; what is published on it may follow at once.
std::optional<std::uint16_t> Protocol::channel_for(std::string_view destination) {
  std::uint16_t number = 1;
  for (const auto& [taken, channel] : channels_) {
    if (channel.destination == destination) return taken;
    if (taken == number) ++number;
  }
  if (number > channels_max_) return std::nullopt;
  channels_.emplace(number, Channel{.destination = std::string(destination)});
  FrameWriter(outgoing_, FrameKind::method, number).number32(channel_open).short_text({});
  FrameWriter(outgoing_, FrameKind::method, number).number32(confirm_select).octet(0);
  return number;
}

std::optional<Reply> Protocol::publish(Token token, const Delivery& delivery, const broker::Target& target) {
  const Message& message = *delivery.message;
  const auto routing_key = target.address.fill(delivery);
  if (!routing_key) return broker::refused_here(routing_key.error());
  if (routing_key->size() > text_bytes_max || message.content_type.size() > text_bytes_max) {
    return Reply::unsendable(code_text(Errc::invalid), "The routing key or the content type is longer than 255 bytes.");
  }
  const auto headers = headers_of(delivery, token);
  if (!headers) return broker::refused_here(headers.error());
  if (headers->bytes().size() + 1024 > frame_bytes_max_) {
    return Reply::unsendable(code_text(Errc::invalid), "The message's headers are too long for the server.");
  }
  const auto number = channel_for(delivery.destination->name);
  if (!number) {
    return Reply::unreachable(code_text(Errc::unavailable), "The server allows no more channels on the connection.");
  }
  FrameWriter(outgoing_, FrameKind::method, *number)
      .number32(basic_publish)
      .number16(0)
      .short_text(static_cast<const Target&>(target).exchange)
      .short_text(*routing_key)
      .octet(mandatory);
  append_header(outgoing_, *number, message, *headers);
  std::string_view content = message.content;
  while (!content.empty()) {
    const std::string_view part = content.substr(0, frame_bytes_max_ - frame_overhead);
    FrameWriter(outgoing_, FrameKind::body, *number).raw(part);
    content.remove_prefix(part.size());
  }
  Channel& channel = channels_.at(*number);
  channel.unconfirmed.emplace(channel.next_tag++, token);
  return std::nullopt;
}

}  // namespace makegood::amqp
