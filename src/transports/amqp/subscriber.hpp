// A connection on which a queue is read: one channel for its messages, and one to ask how many are left.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "makegood/spi/source.hpp"
#include "transports/amqp/greeting.hpp"
#include "transports/amqp/wire.hpp"
#include "transports/broker/conversation.hpp"

namespace makegood::amqp {

/// A message as it came. Its places are for whoever counts them.
struct Received {
  Arrival arrival;
  std::uint64_t tag = 0;  ///< By which the server knows it on this channel.
};

class Subscriber final : public broker::Conversation {
 public:
  Subscriber(std::string queue, std::string username, std::string vhost, broker::Credentials credentials);

  void begin() override { Greeting::begin(outgoing_); }
  bool is_ready() const override { return greeting_.is_ready(); }
  Result<std::size_t> receive(std::string_view bytes) override;

  /// Ends what was subscribed to before: what was not acknowledged goes back to its place in the queue.
  void subscribe(std::uint16_t prefetch);
  /// The server has agreed, or said why it does not.
  bool is_settled() const { return state_ == State::subscribed || state_ == State::refused; }
  /// Why nothing comes; empty: it does.
  std::string_view refusal() const { return refusal_; }
  /// This one and all before it are ours.
  void acknowledge(std::uint64_t tag);
  /// How many are in the queue and with nobody: asked now, known later.
  void ask_length();
  std::int64_t length() const { return length_; }
  void beat();
  std::deque<Received>& received() { return received_; }

 private:
  enum class State : std::uint8_t { closed, closing, subscribing, subscribed, refused };
  /// The one whose content is coming.
  struct Coming {
    Received received;
    std::uint64_t left = 0;   ///< So many bytes are still to come.
    std::uint64_t bytes = 0;  ///< Of all its content.
  };

  Result<> take(const Frame& frame);
  Result<> take_connection_method(std::uint32_t method, FieldReader& fields);
  void take_method(std::uint32_t method, FieldReader& fields);
  void take_length(std::uint32_t method, FieldReader& fields);
  void take_delivery(FieldReader& fields);
  Result<> take_header(FieldReader fields);
  void take_body(std::string_view part);
  void open_channel();
  void refuse(FieldReader& fields);
  void end_content();

  const std::string queue_;
  Greeting greeting_;
  State state_ = State::closed;
  std::uint16_t prefetch_ = 0;
  std::string refusal_;
  bool may_ask_length_ = true;
  bool has_length_channel_ = false;
  std::int64_t length_ = 0;
  std::optional<Coming> coming_;
  std::deque<Received> received_;
};

}  // namespace makegood::amqp
