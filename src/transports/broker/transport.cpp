#include "transports/broker/transport.hpp"

#include <algorithm>
#include <utility>

#include "base/real_time.hpp"
#include "transports/broker/carrier.hpp"
#include "transports/net/event_loop.hpp"

namespace makegood::broker {
namespace {

/// Keeps `now + grace` from overflowing.
constexpr Duration grace_max = std::chrono::hours(24);

class BrokerTransport final : public Transport {
 public:
  BrokerTransport(std::unique_ptr<const Dialect> dialect, BrokerOptions options, net::Guard guard, const Clock& clock)
      : dialect_(std::move(dialect)), options_(std::move(options)), guard_(std::move(guard)), clock_(clock) {}

  Result<> start() {
    const CarrierWorld world{.dialect = *dialect_, .options = options_, .guard = guard_, .clock = clock_};
    const auto open = [&](net::Poller& poller) { return Carrier::open(world, poller); };
    loop_ = MAKEGOOD_TRY(net::EventLoop<Carrier>::start(open));
    return {};
  }

  TransportFeatures features() const override {
    return {.scheme = dialect_->scheme(), .keeps_order_per_key = false, .keeps_in_flight_max = true};
  }
  void send(std::vector<Delivery> deliveries, Completions& done) override {
    if (!deliveries.empty()) loop_->send(std::move(deliveries), done);
  }
  void drain(Completions& done, Duration grace) override {
    loop_->drain(done, real_now() + std::clamp(grace, Duration::zero(), grace_max)).wait();
  }

 private:
  // Constant once started.
  const std::unique_ptr<const Dialect> dialect_;
  const BrokerOptions options_;
  const net::Guard guard_;
  const Clock& clock_;
  std::unique_ptr<net::EventLoop<Carrier>> loop_;
};

}  // namespace

Result<std::unique_ptr<Transport>> new_broker_transport(std::unique_ptr<const Dialect> dialect, BrokerOptions options,
                                                        const Clock& clock) {
  net::Guard guard = MAKEGOOD_TRY(broker_guard(options));
  auto transport = std::make_unique<BrokerTransport>(std::move(dialect), std::move(options), std::move(guard), clock);
  MAKEGOOD_TRY(transport->start());
  return std::unique_ptr<Transport>(std::move(transport));
}

}  // namespace makegood::broker
