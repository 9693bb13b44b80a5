#include "transports/amqp/greeting.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace makegood::amqp {
namespace {

constexpr std::string_view preamble("AMQP\0\0\x09\x01", 8);
constexpr std::uint32_t connection_start = method_id(10, 10);
constexpr std::uint32_t connection_start_ok = method_id(10, 11);
constexpr std::uint32_t connection_tune = method_id(10, 30);
constexpr std::uint32_t connection_tune_ok = method_id(10, 31);
constexpr std::uint32_t connection_open = method_id(10, 40);
constexpr std::uint32_t connection_open_ok = method_id(10, 41);
constexpr std::uint32_t connection_close = method_id(10, 50);

Table client_properties() {
  Table capabilities;
  capabilities.flag("publisher_confirms", true)
      .flag("connection.blocked", true)
      .flag("consumer_cancel_notify", true)
      .flag("authentication_failure_close", true);
  Table properties;
  properties.text("product", "makegood").text("version", MAKEGOOD_VERSION).table("capabilities", capabilities);
  return properties;
}

}  // namespace

Error other_version() { return {Errc::unavailable, "The server speaks another version of AMQP."}; }

void Greeting::begin(std::string& outgoing) { outgoing += preamble; }

Result<bool> Greeting::take(std::uint32_t method, FieldReader& fields, std::string& outgoing) {
  switch (method) {
    case connection_start:
      fields.number16();   // Its version.
      fields.long_text();  // Its properties.
      MAKEGOOD_TRY(answer(fields.long_text(), outgoing));
      return true;
    case connection_tune:
      tune(fields, outgoing);
      return true;
    case connection_open_ok:
      is_ready_ = true;
      return true;
    case connection_close: {
      const std::uint16_t code = fields.number16();
      return Error{Errc::unavailable, fmt::format("The server says {} {}.", code, fields.short_text())};
    }
    default:
      return false;
  }
}

Result<> Greeting::answer(std::string_view mechanisms, std::string& outgoing) {
  if (!mechanisms.contains("PLAIN")) return Error{Errc::unavailable, "The server does not take passwords (PLAIN)."};
  const auto password = credentials_.find("password");
  std::string response("\0", 1);
  response.append(username_.empty() ? "guest" : username_).push_back('\0');
  response += password == credentials_.end() ? "guest" : password->second;
  credentials_.clear();
  FrameWriter(outgoing, FrameKind::method, 0)
      .number32(connection_start_ok)
      .long_text(client_properties().bytes())
      .short_text("PLAIN")
      .long_text(response)
      .short_text("en_US");
  return {};
}

void Greeting::tune(FieldReader& fields, std::string& outgoing) {
  const std::uint16_t channels_max = fields.number16();
  const std::uint32_t frame_bytes_max = fields.number32();
  if (channels_max != 0) channels_max_ = std::min(channels_max_, channels_max);
  if (frame_bytes_max != 0) frame_bytes_max_ = std::min<std::size_t>(frame_bytes_max_, frame_bytes_max);
  FrameWriter(outgoing, FrameKind::method, 0)
      .number32(connection_tune_ok)
      .number16(channels_max_)
      .number32(static_cast<std::uint32_t>(frame_bytes_max_))
      .number16(heartbeat_);
  FrameWriter(outgoing, FrameKind::method, 0).number32(connection_open).short_text(vhost_).short_text({}).octet(0);
}

}  // namespace makegood::amqp
