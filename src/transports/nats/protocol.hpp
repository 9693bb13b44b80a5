// The client's half of the NATS protocol, as far as publishing to JetStream needs it. Each publication has an inbox of
// its own, where the stream's answer comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "transports/broker/protocol.hpp"

namespace makegood::nats {

class Protocol final : public broker::Protocol {
 public:
  Protocol(std::string username, broker::Credentials credentials);

  bool wants_tls() const override { return has_info_; }
  bool is_ready() const override { return is_ready_; }
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
  /// What a server says to an inbox.
  struct Message {
    std::string_view subject;
    std::string_view header;
    std::string_view content;
  };

  Result<> take_line(std::string_view line);
  Result<> take_info(std::string_view json);
  Result<> take_error(std::string_view text);
  void take_message(const Message& message);
  void take_answer(broker::Token token, Publication& publication, const Message& message);
  void settle(broker::Token token, Reply reply);
  void ask_about_stream(broker::Token token, const std::string& stream);
  Result<std::string> connect_options(std::string_view nonce) const;

  const std::string username_;
  broker::Credentials credentials_;
  const std::string inbox_;  ///< With a dot at its end.
  bool has_info_ = false;
  bool is_ready_ = false;
  std::size_t content_bytes_max_ = 0;
  std::unordered_map<broker::Token, Publication> publications_;
};

/// Whether a subject can be published to: levels that are not empty, without blanks and wildcards.
bool is_subject(std::string_view subject);

}  // namespace makegood::nats
