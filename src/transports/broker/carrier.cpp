#include "transports/broker/carrier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/real_time.hpp"

namespace makegood::broker {
namespace {

/// Keeps a deadline from overflowing.
constexpr Duration timeout_max = std::chrono::hours(24);

}  // namespace

Carrier::Carrier(const CarrierWorld& world, net::Poller& poller)
    : world_(world), poller_(poller), secrets_(world.clock, world.options.network.warn) {}

Carrier::~Carrier() {
  if (resolver_) resolver_->stop();
}

Result<std::unique_ptr<Carrier>> Carrier::open(const CarrierWorld& world, net::Poller& poller) {
  std::unique_ptr<Carrier> carrier(new Carrier(world, poller));
  const auto watch = [&poller](int descriptor, bool read, bool write) {
    if (!read && !write) return poller.forget(descriptor);
    poller.watch(descriptor, net::Watcher::resolver, {.read = read, .write = write});
  };
  carrier->resolver_ = MAKEGOOD_TRY(net::Resolver::open(world.options.network.dns_servers, watch, world.clock));
  return carrier;
}

void Carrier::take(std::vector<Delivery> deliveries, Completions& done, MonotonicTime sent_at) {
  for (Delivery& delivery : deliveries) {
    const Duration timeout = std::min(delivery.timeout(), timeout_max);
    take({.delivery = std::move(delivery), .done = &done, .deadline = sent_at + timeout});
  }
}

void Carrier::take(Sending sending) {
  const auto refuse = [&](Reply reply) {
    outgoing_.add(*sending.done, {.ticket = sending.delivery.ticket, .reply = std::move(reply)});
  };
  if (sending.delivery.call != nullptr) {
    return refuse(Reply::unsendable(code_text(Errc::invalid), "A step of a saga cannot be called through a broker."));
  }
  Channel& channel =
      channels_.of(sending.delivery.destination, [this](const DestinationPtr& to) { return new_channel(to); });
  if (!channel.target) return refuse(refused_here(channel.target.error()));
  if (channel.link == nullptr) {
    auto link = link_for((*channel.target)->access);
    if (!link) return refuse(refused_here(link.error()));
    channel.link = *link;
  }
  channel.link->take(channel, std::move(sending), real_now());
}

Channel Carrier::new_channel(const DestinationPtr& destination) {
  return {.target = world_.dialect.target(*destination, world_.options),
          .destination = destination,
          .under_way_max = destination->in_flight_max};
}

/// A link that nobody uses makes room for one that is needed.
Result<Link*> Carrier::link_for(const Access& access) {
  const auto found = std::ranges::find_if(links_, [&](const auto& link) { return link->access() == access; });
  if (found != links_.end()) return found->get();
  if (links_.size() >= world_.options.connections_max) {
    const auto idle = std::ranges::find_if(links_, [](const auto& link) { return link->is_idle(); });
    if (idle == links_.end()) {
      return Error{Errc::unavailable,
                   fmt::format("{} brokers are in use, as many as `brokers.connections_max` allows; nothing was sent.",
                               links_.size())};
    }
    channels_.for_each([&](Channel& channel) {
      if (channel.link == idle->get()) channel.link = nullptr;
    });
    links_.erase(idle);
  }
  const LinkWorld world{.dialect = world_.dialect,
                        .options = world_.options,
                        .guard = world_.guard,
                        .poller = poller_,
                        .resolver = *resolver_,
                        .secrets = secrets_,
                        .outgoing = outgoing_};
  links_.push_back(std::make_unique<Link>(world, access));
  return links_.back().get();
}

void Carrier::ready(const net::Ready& ready) {
  if (ready.watcher == net::Watcher::resolver) {
    return resolver_->ready(ready.descriptor, ready.interest.read, ready.interest.write);
  }
  const auto found =
      std::ranges::find_if(links_, [&](const auto& link) { return link->descriptor() == ready.descriptor; });
  if (found != links_.end()) (*found)->ready(ready, real_now());
}

void Carrier::go_on() {
  if (resolver_->next_timeout().value_or(std::chrono::seconds(1)) <= Duration::zero()) resolver_->timed_out();
  for (const auto& link : links_) link->go_on(real_now());
  outgoing_.post();
}

std::optional<Duration> Carrier::next_timeout() const {
  std::optional<Duration> next = resolver_->next_timeout();
  for (const auto& link : links_) {
    const auto other = link->next_timeout(real_now());
    if (other) next = std::min(next.value_or(*other), *other);
  }
  return next;
}

void Carrier::stop_starting(const Completions& done) {
  for (const auto& link : links_) link->stop_starting(done);
}

bool Carrier::has_under_way(const Completions& done) const {
  return std::ranges::any_of(links_, [&](const auto& link) { return link->has_under_way(done); });
}

void Carrier::give_up(const Completions& done) {
  for (const auto& link : links_) link->give_up(done);
}

}  // namespace makegood::broker
