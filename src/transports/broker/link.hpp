// One connection to a broker, with all destinations that share it: what waits for it, what is under way on it, and how
// it is made and lost. One thread: everything here happens on the carrier's loop.
//
// What is said of a delivery when its connection ends: nothing of it had been handed to the network, then it was
// certainly not sent; at least a byte had, then it may have arrived. What stays behind in the buffer is asked again
// whether it may leave, each time that more is written: an owner that was frozen and wakes up sends nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "makegood/clock.hpp"
#include "transports/broker/protocol.hpp"
#include "transports/broker/stream.hpp"
#include "transports/net/outgoing.hpp"
#include "transports/net/poller.hpp"
#include "transports/net/resolver.hpp"
#include "transports/net/secrets.hpp"

namespace makegood::broker {

/// A delivery that was handed over, and whom to tell.
struct Sending {
  Delivery delivery;
  Completions* done = nullptr;
  MonotonicTime deadline;
};

class Link;

/// What is kept about one destination.
struct Channel {
  Result<TargetPtr> target;
  std::weak_ptr<const Destination> destination;
  Link* link = nullptr;
  std::size_t under_way_max = 1;
  std::size_t under_way = 0;
  std::deque<Sending> waiting = {};  ///< In the order of their deadlines, since all have the same timeout.
};

/// What is constant for a link, and outlives it.
struct LinkWorld {
  const Dialect& dialect;
  const BrokerOptions& options;
  const net::Guard& guard;
  net::Poller& poller;
  net::Resolver& resolver;
  net::Secrets& secrets;
  net::Outgoing& outgoing;
};

class Link {
 public:
  Link(const LinkWorld& world, Access access) : world_(world), access_(std::move(access)) {}
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  const Access& access() const { return access_; }
  void take(Channel& channel, Sending sending, MonotonicTime now);
  void ready(const net::Ready& ready, MonotonicTime now);
  /// What has become possible or is too late.
  void go_on(MonotonicTime now);
  std::optional<Duration> next_timeout(MonotonicTime now) const;
  int descriptor() const { return stream_ ? stream_->descriptor() : -1; }
  /// Nothing waits, nothing is under way, and no name is being looked up.
  bool is_idle() const { return line_.empty() && under_way_.empty() && state_ != State::resolving; }

  void stop_starting(const Completions& done);
  bool has_under_way(const Completions& done) const;
  void give_up(const Completions& done);

 private:
  enum class State : std::uint8_t { closed, resolving, connecting, securing, greeting, open };
  struct UnderWay {
    Sending sending;
    Channel* channel = nullptr;
    std::uint64_t begin = 0;  ///< Its first byte, counted over the connection's life.
    std::uint64_t end = 0;    ///< Behind its last one.
  };
  using Publications = std::unordered_map<Token, UnderWay>;

  // Making a connection.
  void open(MonotonicTime now);
  Result<> prepare();
  void resolved(const Result<std::vector<net::Address>>& addresses);
  void connect_next();
  void connected();
  Result<> start_tls();
  void secure();
  void greet();
  void failed(const Error& error);

  // Using it.
  void receive();
  void publish_waiting();
  bool publish_one(Channel& channel);
  void flush();
  bool may_all_leave() const;
  void settle(Token token, Reply reply);
  void settle_answers();
  void expire();

  // Losing it.
  void lost(const Error& error);
  void close();
  void refuse_waiting(const Reply& reply);

  void watch();
  void complete(const Sending& sending, Reply reply);
  const Server& server() const { return access_.servers.at(server_index_); }
  std::string about(std::string_view sentence) const;

  // Constant after construction.
  const LinkWorld world_;
  const Access access_;

  State state_ = State::closed;
  MonotonicTime now_;
  std::size_t server_index_ = 0;
  std::size_t servers_failed_ = 0;       ///< In a row.
  std::vector<net::Address> addresses_;  ///< That are left to try.
  MonotonicTime open_by_;                ///< The greeting has to be over.
  MonotonicTime rests_until_;            ///< After all servers have failed.
  Duration rest_ = {};
  std::optional<Reply> refusal_ = {};  ///< While it rests.
  MonotonicTime used_at_;

  TlsContext tls_ = {};
  std::optional<Stream> stream_ = {};
  std::unique_ptr<Protocol> protocol_ = {};
  std::string incoming_;
  std::uint64_t written_ = 0;  ///< Bytes handed to the network.

  std::deque<Channel*> line_;  ///< Each once: those where somebody waits.
  Publications under_way_;
  std::set<std::pair<MonotonicTime, Token>> deadlines_;
  Token next_token_ = 1;
};

}  // namespace makegood::broker
