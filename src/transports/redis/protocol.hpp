// The client's half of a conversation with Redis: entries of streams, each added by a script that also looks whether
// the server has it already. Answers come in the order of the questions.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "transports/broker/protocol.hpp"
#include "transports/redis/dialect.hpp"
#include "transports/redis/resp.hpp"

namespace makegood::redis {

class Protocol final : public broker::Protocol {
 public:
  Protocol(std::string username, std::string database, broker::Credentials credentials);

  void begin() override;
  bool is_ready() const override { return !script_.empty() && !is_greeting(); }
  Result<std::size_t> receive(std::string_view bytes) override;
  std::optional<Reply> publish(broker::Token token, const Delivery& delivery, const broker::Target& target) override;
  void forget(broker::Token /*token*/) override {}  // Its answer comes, and nobody asks for it.
  void end_round() override;

 private:
  enum class Question : std::uint8_t { greeting, script, setting, entry, wait };
  struct Asked {
    Question question;
    broker::Token token = 0;
    bool is_test = false;
    bool is_first = false;  ///< Nothing of it was sent before.
    std::uint64_t replicas = 0;
  };

  bool is_greeting() const { return greetings_left_ > 0; }
  void ask_greeting(std::initializer_list<std::string_view> arguments, Question question);
  Result<> take(const Asked& asked, const Value& value);
  void take_setting(const Value& value);
  void take_entry(const Asked& asked, const Value& value);
  void take_wait(const Asked& asked, const Value& value);
  void refuse(broker::Token token, std::string_view error);
  Reply stored(const Asked& asked) const;

  const std::string username_;
  const std::string database_;
  broker::Credentials credentials_;
  std::size_t greetings_left_ = 0;
  std::string script_;               ///< The digest by which the server knows it.
  std::deque<Asked> asked_;          ///< In the order of their answers.
  std::vector<Asked> unreplicated_;  ///< Stored, and waiting for replicas.
  std::uint64_t round_replicas_ = 0;
  std::string advice_;             ///< What an operator should know of the server.
  bool has_other_master_ = false;  ///< It only follows: the next server is to be asked.
};

}  // namespace makegood::redis
