// Carries deliveries over HTTP. One thread: everything here happens on its loop.
//
// The way of a delivery: its destination's target → a place (or it waits for one) → its request → the addresses of its
// host, checked by the guard → a transfer to one of them and to no other → its completion, posted with all others of
// the round.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transports/http/admission.hpp"
#include "transports/http/channel.hpp"
#include "transports/http/multi.hpp"
#include "transports/http/pins.hpp"
#include "transports/http/secrets.hpp"
#include "transports/http/transfer.hpp"
#include "transports/net/guard.hpp"
#include "transports/net/outgoing.hpp"
#include "transports/net/poller.hpp"
#include "transports/net/resolver.hpp"

namespace makegood::http {

/// What is constant for a client, and outlives it.
struct ClientWorld {
  const HttpOptions& options;
  const Guard& guard;
  const Clock& clock;
  std::size_t places_max;  ///< Requests under way, and connections.
  LoopShare share = {};
};

class Client {
 public:
  static Result<std::unique_ptr<Client>> open(const ClientWorld& world, Poller& poller);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void take(std::vector<Delivery> deliveries, Completions& done, MonotonicTime sent_at);
  void ready(const Ready& ready);
  /// What is due and what has ended. Posts completions.
  void go_on();
  /// When `go_on` has to be called, if nothing else happens.
  std::optional<Duration> next_timeout() const;

  /// Starts nothing more for it, and forgets what has not reached its connection.
  void stop_starting(const Completions& done);
  bool has_under_way(const Completions& done) const;
  /// What is still under way for it ends unseen.
  void give_up(const Completions& done);

 private:
  Client(const ClientWorld& world, Poller& poller);

  void take(Sending sending);
  void start(Channel& channel, Sending sending);
  Result<> load_request(Transfer& transfer);
  Transfer& new_transfer();
  void look_up(Transfer& transfer);
  void resolved(Transfer& transfer, const Result<std::vector<Address>>& addresses);
  void connect(Transfer& transfer, std::span<const Address> addresses);

  void harvest();
  void settle(const Ended& ended);
  bool may_try_another_address(const Transfer& transfer, CURLcode code) const;
  void end(Transfer& transfer, Reply reply);
  void drop(Transfer& transfer);
  void complete(const Sending& sending, Reply reply);
  void give_up_expired();

  // Constant after construction.
  const ClientWorld world_;
  TransferWorld transfer_world_;

  MonotonicTime now_;  ///< Of this round.
  Secrets secrets_;
  Channels channels_;
  Admission admission_;
  Pins pins_;
  Outgoing outgoing_;

  Multi multi_;
  std::vector<std::unique_ptr<Transfer>> under_way_;
  std::vector<std::unique_ptr<Transfer>> spare_;
  std::unique_ptr<Resolver> resolver_;
};

}  // namespace makegood::http
