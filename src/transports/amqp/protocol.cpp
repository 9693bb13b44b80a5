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

constexpr std::size_t text_bytes_max = 255;
/// Whether the other side is there, TCP tells (Stream).
constexpr std::uint16_t no_heartbeat = 0;

constexpr std::uint32_t connection_blocked = method_id(10, 60);
constexpr std::uint32_t connection_unblocked = method_id(10, 61);
constexpr std::uint32_t confirm_select = method_id(85, 10);
constexpr std::uint32_t basic_publish = method_id(60, 40);
constexpr std::uint32_t basic_return = method_id(60, 50);
constexpr std::uint32_t basic_nack = method_id(60, 120);

constexpr std::uint16_t precondition_failed = 406;
constexpr std::uint8_t mandatory = 1;
constexpr std::uint8_t persistent = 2;

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
    : greeting_(std::move(username), std::move(vhost), std::move(credentials), no_heartbeat) {}

// What the server says
// --------------------------------------------------------------------------------------------------------------------

Result<std::size_t> Protocol::receive(std::string_view bytes) {
  if (bytes.starts_with("AMQP")) return other_version();
  std::size_t consumed = 0;
  for (;;) {
    const auto frame = MAKEGOOD_TRY(parse_frame(bytes.substr(consumed), greeting_.frame_bytes_max()));
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
  if (!fields.is_sound()) return garbled();
  return {};
}

Result<> Protocol::take_connection_method(std::uint32_t method, FieldReader& fields) {
  if (MAKEGOOD_TRY(greeting_.take(method, fields, outgoing_))) return {};
  if (method == connection_blocked) {
    blocked_because_ = fmt::format("The server takes nothing for now ({}).", fields.short_text());
  } else if (method == connection_unblocked) {
    blocked_because_.clear();
  }
  return {};
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
  if (number > greeting_.channels_max()) return std::nullopt;
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
  if (headers->bytes().size() + 1024 > greeting_.frame_bytes_max()) {
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
    const std::string_view part = content.substr(0, greeting_.frame_bytes_max() - frame_overhead);
    FrameWriter(outgoing_, FrameKind::body, *number).raw(part);
    content.remove_prefix(part.size());
  }
  Channel& channel = channels_.at(*number);
  channel.unconfirmed.emplace(channel.next_tag++, token);
  return std::nullopt;
}

}  // namespace makegood::amqp
