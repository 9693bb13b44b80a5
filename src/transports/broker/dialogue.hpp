// A connection to a broker for a thread that may wait: whoever reads from a source asks, and waits for the answer.
// Deliveries have a Link instead, which waits for nothing.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/clock.hpp"
#include "transports/broker/conversation.hpp"
#include "transports/broker/stream.hpp"
#include "transports/broker/target.hpp"
#include "transports/net/guard.hpp"
#include "transports/net/poller.hpp"
#include "transports/net/resolver.hpp"
#include "transports/net/secrets.hpp"

namespace makegood::broker {

/// One thread uses it.
class Dialogue {
 public:
  /// A new one for each connection.
  using Converse = std::function<std::unique_ptr<Conversation>(Credentials)>;

  static Result<std::unique_ptr<Dialogue>> with(Access access, const BrokerOptions& options, const Clock& clock,
                                                Converse converse);
  ~Dialogue();
  Dialogue(const Dialogue&) = delete;
  Dialogue& operator=(const Dialogue&) = delete;

  /// Connects and greets, unless it is open: the servers in turn, each once.
  Result<> open();
  bool is_open() const { return stream_.has_value(); }
  /// Says what there is to say, and hears what comes: the first of it within `wait`. An error has ended the connection.
  Result<> listen(Duration wait);
  /// Until it is done; Errc::unavailable when that takes longer than a question may.
  Result<> await(const std::function<bool()>& is_done);
  /// Nothing was heard that could be understood: the next `open` begins anew.
  void close();

 private:
  Dialogue(Access access, const BrokerOptions& options, const Clock& clock, net::Guard guard, net::Poller poller,
           Converse converse);
  Result<> prepare();
  Result<> open_one();
  Result<Credentials> credentials();
  Result<std::vector<net::Address>> look_up();
  Result<> connect(const std::vector<net::Address>& addresses);
  Result<> connect_to(const net::Address& address);
  Result<> greet();
  Result<> secure();
  Result<> exchange(Duration wait);
  Result<> say();
  Result<> hear();
  void wait_for_names();
  Result<> wait_for_stream(bool has_more);
  Result<Duration> left() const;
  Error about(const Error& error) const;
  const Server& server() const { return access_.servers.at(server_index_); }

  // Constant after construction.
  const Access access_;
  const Duration connect_timeout_;
  const std::vector<std::string> name_servers_;
  const Clock& clock_;
  const net::Guard guard_;
  const Converse converse_;

  net::Secrets secrets_;
  net::Poller poller_;
  std::unique_ptr<net::Resolver> resolver_;  // Uses the poller.
  std::size_t server_index_ = 0;
  MonotonicTime open_by_;  ///< The greeting has to be over.
  std::unique_ptr<Conversation> conversation_;
  std::optional<Stream> stream_;
  std::string incoming_;
};

}  // namespace makegood::broker
