// The client's half of the NATS protocol, as far as publishing to JetStream needs it. Each publication has an inbox of
// its own, where the stream's answer comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "transports/broker/protocol.hpp"
#include "transports/nats/wire.hpp"

namespace makegood::nats {

class Protocol final : public broker::Protocol {
 public:
  Protocol(std::string username, broker::Credentials credentials);

  bool wants_tls() const override { return greeting_.has_info(); }
  bool is_ready() const override { return greeting_.is_ready(); }
  Result<std::size_t> receive(std::string_view bytes) override;
  std::optional<Reply> publish(broker::Token token, const Delivery& delivery, const broker::Target& target) override;
  void forget(broker::Token token) override { publications_.erase(token); }

 private:
  struct Publication {
    std::string subject;
    Duration repeats_for = {};  ///< How long after it the same message may come again.
    bool is_test = false;
    bool is_first = false;       ///< Nothing of it was sent before.
    std::string stored_in = {};  ///< A test's: the stream, once it has answered.
  };

  Result<> take_error(std::string_view text);
  void take_message(const Message& message);
  void take_answer(broker::Token token, Publication& publication, const Message& message);
  void settle(broker::Token token, Reply reply);
  void ask_about_stream(broker::Token token, const std::string& stream);

  const std::string inbox_;  ///< With a dot at its end.
  Greeting greeting_;
  std::unordered_map<broker::Token, Publication> publications_;
};

/// Whether a subject can be published to: levels that are not empty, without blanks and wildcards.
bool is_subject(std::string_view subject);

}  // namespace makegood::nats
