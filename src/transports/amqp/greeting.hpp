// How a connection of AMQP 0.9.1 is greeted, whatever it is for, and the methods that both sides of it know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "makegood/result.hpp"
#include "transports/amqp/wire.hpp"
#include "transports/broker/conversation.hpp"

namespace makegood::amqp {

inline constexpr std::uint32_t channel_open = method_id(20, 10);
inline constexpr std::uint32_t channel_open_ok = method_id(20, 11);
inline constexpr std::uint32_t channel_close = method_id(20, 40);
inline constexpr std::uint32_t channel_close_ok = method_id(20, 41);
inline constexpr std::uint32_t basic_ack = method_id(60, 80);
inline constexpr std::uint16_t basic_class = 60;

// Which properties a message has, in this order.
inline constexpr std::uint16_t has_content_type = 0x8000;
inline constexpr std::uint16_t has_content_encoding = 0x4000;
inline constexpr std::uint16_t has_headers = 0x2000;
inline constexpr std::uint16_t has_delivery_mode = 0x1000;
inline constexpr std::uint16_t has_priority = 0x0800;
inline constexpr std::uint16_t has_correlation_id = 0x0400;
inline constexpr std::uint16_t has_reply_to = 0x0200;
inline constexpr std::uint16_t has_expiration = 0x0100;
inline constexpr std::uint16_t has_message_id = 0x0080;
inline constexpr std::uint16_t has_timestamp = 0x0040;
inline constexpr std::uint16_t has_type = 0x0020;

/// Names one publication of ours in what comes back.
inline constexpr std::string_view token_header = "makegood_send";

class Greeting {
 public:
  /// `heartbeat`: seconds after which either side takes a silent other one for gone; 0: TCP tells.
  Greeting(std::string username, std::string vhost, broker::Credentials credentials, std::uint16_t heartbeat)
      : username_(std::move(username)),
        vhost_(std::move(vhost)),
        credentials_(std::move(credentials)),
        heartbeat_(heartbeat) {}

  static void begin(std::string& outgoing);
  bool is_ready() const { return is_ready_; }
  std::size_t frame_bytes_max() const { return frame_bytes_max_; }
  std::uint16_t channels_max() const { return channels_max_; }
  /// Of the connection. What is not of the greeting, and no end of it, is left to the caller: false.
  Result<bool> take(std::uint32_t method, FieldReader& fields, std::string& outgoing);

 private:
  Result<> answer(std::string_view mechanisms, std::string& outgoing);
  void tune(FieldReader& fields, std::string& outgoing);

  const std::string username_;
  const std::string vhost_;
  broker::Credentials credentials_;
  const std::uint16_t heartbeat_;
  bool is_ready_ = false;
  std::size_t frame_bytes_max_ = 131072;
  std::uint16_t channels_max_ = 2047;
};

/// Nothing else is wrong with a server that says it.
Error other_version();

}  // namespace makegood::amqp
