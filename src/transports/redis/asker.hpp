// A connection on which Redis is asked one thing after the other.
#pragma once

#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>

#include "transports/broker/conversation.hpp"
#include "transports/redis/resp.hpp"

namespace makegood::redis {

/// Larger than what a log takes, with everything around it.
inline constexpr ParseLimits answer_limits{.bytes_max = std::int64_t{80} << 20, .items_max = 1 << 20};

class Asker final : public broker::Conversation {
 public:
  Asker(std::string username, std::string database, broker::Credentials credentials);

  void begin() override;
  bool is_ready() const override { return greetings_left_ == 0; }
  Result<std::size_t> receive(std::string_view bytes) override;

  void ask(std::initializer_list<std::string_view> arguments) { append_command(outgoing_, arguments); }
  /// Answers that nobody has taken yet, as they came (RESP).
  std::deque<std::string>& answers() { return answers_; }

 private:
  void greet(std::initializer_list<std::string_view> arguments);

  const std::string username_;
  const std::string database_;
  broker::Credentials credentials_;
  std::size_t greetings_left_ = 0;
  std::deque<std::string> answers_;
};

}  // namespace makegood::redis
