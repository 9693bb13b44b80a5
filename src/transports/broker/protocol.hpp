// How deliveries are said in the language of a broker, and what its answers mean.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "makegood/delivery.hpp"
#include "makegood/result.hpp"
#include "transports/broker/conversation.hpp"
#include "transports/broker/target.hpp"

namespace makegood::broker {

/// Names one publication on a connection; the first is 1.
using Token = std::uint64_t;

struct Answer {
  Token token = 0;
  Reply reply = {};
};

/// A conversation in which deliveries are published.
class Protocol : public Conversation {
 public:
  /// The server takes nothing for now; why, or empty.
  virtual std::string_view blocked_because() const { return {}; }

  /// Appends a publication to what is sent; its answer comes later. Nothing was appended if it ends at once, with the
  /// reply.
  virtual std::optional<Reply> publish(Token token, const Delivery& delivery, const Target& target) = 0;
  /// Nobody waits for its answer any more.
  virtual void forget(Token token) = 0;
  /// All that could be published for now has been.
  virtual void end_round() {}

  std::vector<Answer> take_answers() { return std::exchange(answers_, {}); }

 protected:
  std::vector<Answer> answers_;
};

/// A kind of broker: reads the settings of its destinations, and opens conversations.
class Dialect {
 public:
  virtual ~Dialect() = default;
  virtual std::string_view scheme() const = 0;
  /// Every mistake in one error.
  virtual Result<TargetPtr> target(const Destination& destination, const BrokerOptions& options) const = 0;
  virtual std::unique_ptr<Protocol> converse(const Access& access, Credentials credentials) const = 0;
};

/// `PROVIDER.UNAVAILABLE` and its like, as replies have them.
std::string code_text(Errc code);
/// What cannot be published: a setting can be mended, so it is tried again; a message cannot.
Reply refused_here(const Error& error);

}  // namespace makegood::broker
