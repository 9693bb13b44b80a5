// The client's half of AMQP 0.9.1, as far as publishing with confirms needs it. Each destination has a channel of its
// own: an exchange that is missing ends its channel and nobody else's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "transports/amqp/greeting.hpp"
#include "transports/amqp/wire.hpp"
#include "transports/broker/protocol.hpp"

namespace makegood::amqp {

class Protocol final : public broker::Protocol {
 public:
  Protocol(std::string username, std::string vhost, broker::Credentials credentials);

  void begin() override { Greeting::begin(outgoing_); }
  bool is_ready() const override { return greeting_.is_ready(); }
  std::string_view blocked_because() const override { return blocked_because_; }
  Result<std::size_t> receive(std::string_view bytes) override;
  std::optional<Reply> publish(broker::Token token, const Delivery& delivery, const broker::Target& target) override;
  void forget(broker::Token /*token*/) override {}  // Its confirm comes, and nobody asks for it.

 private:
  struct Channel {
    std::string destination;
    std::uint64_t next_tag = 1;
    std::map<std::uint64_t, broker::Token> unconfirmed = {};  ///< By their tags.
    std::map<broker::Token, std::string> returned = {};       ///< Why they found no queue; confirmed all the same.
    std::string returning = {};                               ///< Why the one does whose content is coming.
  };
  using Channels = std::map<std::uint16_t, Channel>;

  Result<> take(const Frame& frame);
  Result<> take_connection_method(std::uint32_t method, FieldReader& fields);
  Result<> take_channel_method(std::uint16_t number, std::uint32_t method, FieldReader& fields);
  void confirm(Channel& channel, std::uint64_t tag, bool is_multiple, bool is_stored);
  void confirm_one(Channel& channel, broker::Token token, bool is_stored);
  void take_returned(Channel& channel, const Frame& header);
  void close_channel(std::uint16_t number, FieldReader& fields);
  std::optional<std::uint16_t> channel_for(std::string_view destination);

  Greeting greeting_;
  std::string blocked_because_;
  Channels channels_;
};

}  // namespace makegood::amqp
