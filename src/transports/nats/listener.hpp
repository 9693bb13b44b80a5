// A connection on which a stream is read: answers to questions, and the messages that were asked for.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "makegood/spi/source.hpp"
#include "transports/broker/conversation.hpp"
#include "transports/nats/wire.hpp"

namespace makegood::nats {

/// A message of the stream, and what the server says about its place.
struct Found {
  Arrival arrival;
  std::int64_t number = 0;
  std::int64_t left = 0;  ///< So many come behind it.
};

class Listener final : public broker::Conversation {
 public:
  Listener(std::string stream, std::string username, broker::Credentials credentials);

  bool wants_tls() const override { return greeting_.has_info(); }
  bool is_ready() const override { return greeting_.is_ready(); }
  Result<std::size_t> receive(std::string_view bytes) override;

  /// A question; its answer is `answer()`, once it is there.
  void ask(std::string_view subject, std::string_view question);
  const std::optional<std::string>& answer() const { return answer_; }

  /// Only what this consumer sends counts from now on; what came before is forgotten.
  void listen_to(std::string consumer);
  void pull(std::string_view subject, std::size_t rows, std::size_t bytes);
  /// So many of those that were asked for may still come.
  std::size_t awaited() const { return awaited_; }
  /// The next one is larger than what was asked for.
  bool is_next_too_large() const { return is_next_too_large_; }
  std::deque<Found>& found() { return found_; }

 private:
  Result<> take(const Message& message);
  Result<> take_status(int status, std::string_view header);
  void take_found(const Message& message);

  const std::string stream_;
  const std::string inbox_ = new_inbox();
  Greeting greeting_;
  std::uint64_t question_ = 0;
  std::optional<std::string> answer_;
  std::string consumer_;
  std::size_t awaited_ = 0;
  bool has_come_ = false;  ///< Something has, since it was last asked for.
  bool is_next_too_large_ = false;
  std::deque<Found> found_;
};

}  // namespace makegood::nats
