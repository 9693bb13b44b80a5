#include "transports/http/client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/real_time.hpp"

namespace makegood::http {
namespace {

/// Kept for the next requests; more than this are only needed in bursts.
constexpr std::size_t spare_max = 512;
/// Of one name within one attempt. A name may have a thousand.
constexpr std::size_t addresses_tried_max = 3;
/// How late somebody who waits for a place may learn that it came to nothing.
constexpr Duration expiry_interval = std::chrono::milliseconds(10);
/// Keeps a deadline from overflowing.
constexpr Duration timeout_max = std::chrono::hours(24);

std::string code_text(Errc code) { return std::string(to_string(code)); }

/// What a person can mend (a setting, a secret) is tried again, so that nothing dies of a typo; the circuit opens
/// meanwhile. A message that cannot be sent is not.
Reply refused_here(const Error& error) {
  const bool can_be_mended = error.code == Errc::config_invalid || is_retryable(error.code);
  return can_be_mended ? Reply::unreachable(code_text(error.code), error.message)
                       : Reply::unsendable(code_text(error.code), error.message);
}

}  // namespace

Result<std::unique_ptr<Client>> Client::open(const ClientWorld& world, Poller& poller) {
  std::unique_ptr<Client> client(new Client(world, poller));
  const auto watch = [&poller](int descriptor, bool read, bool write) {
    if (!read && !write) return poller.forget(descriptor);
    poller.watch(descriptor, Watcher::resolver, {.read = read, .write = write});
  };
  client->resolver_ = MAKEGOOD_TRY(Resolver::open(world.options.dns_servers, watch, world.clock));
  return client;
}

Client::Client(const ClientWorld& world, Poller& poller)
    : world_(world),
      transfer_world_{.options = world.options, .guard = world.guard, .poller = poller},
      secrets_(world.clock, world.options.warn),
      channels_(world.options, world.guard, world.share),
      admission_(world.places_max),
      multi_(poller, world.places_max) {}

Client::~Client() {
  admission_.forget_waiting();
  if (resolver_) resolver_->stop();
  for (const auto& transfer : under_way_) {
    if (transfer->is_added) multi_.remove(*transfer);
  }
}

// Start
// --------------------------------------------------------------------------------------------------------------------

void Client::take(std::vector<Delivery> deliveries, Completions& done, MonotonicTime sent_at) {
  now_ = real_now();
  for (Delivery& delivery : deliveries) {
    const Duration timeout = std::min(delivery.timeout(), timeout_max);
    take({.delivery = std::move(delivery), .done = &done, .deadline = sent_at + timeout});
  }
}

void Client::take(Sending sending) {
  Channel& channel = channels_.of(sending.delivery.destination);
  if (!channel.target) return complete(sending, refused_here(channel.target.error()));
  if (!admission_.may_start(channel)) return admission_.wait(channel, std::move(sending));
  start(channel, std::move(sending));
}

void Client::start(Channel& channel, Sending sending) {
  if (!sending.delivery.may_leave()) return complete(sending, Reply::withheld());
  Transfer& transfer = new_transfer();
  transfer.load(std::move(sending), channel, *channel.target);
  admission_.started(channel);
  if (auto loaded = load_request(transfer); !loaded) return end(transfer, refused_here(loaded.error()));
  look_up(transfer);
}

Result<> Client::load_request(Transfer& transfer) {
  const Target& target = transfer.target();
  Request request = MAKEGOOD_TRY(
      make_request(transfer.sending().delivery, target, secrets_, world_.clock.now(), transfer.spare_lines()));
  if (target.url == nullptr) MAKEGOOD_TRY(check(world_.guard, *request.url, target.trust));
  transfer.load(std::move(request));
  return {};
}

Transfer& Client::new_transfer() {
  if (spare_.empty()) spare_.push_back(std::make_unique<Transfer>(transfer_world_));
  under_way_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  under_way_.back()->place = under_way_.size() - 1;
  return *under_way_.back();
}

void Client::look_up(Transfer& transfer) {
  const Url& url = transfer.url();
  if (url.literal) return connect(transfer, std::span(&*url.literal, 1));  // It has passed the guard with its URL.
  const Duration left = transfer.sending().deadline - now_;
  resolver_->resolve(url.host, std::min(left, world_.options.connect_timeout),
                     [this, &transfer](const auto& addresses) { resolved(transfer, addresses); });
}

void Client::resolved(Transfer& transfer, const Result<std::vector<Address>>& addresses) {
  if (transfer.is_disowned()) return drop(transfer);
  if (!addresses) {
    const auto detail = fmt::format("{} The request was not sent.", addresses.error().message);
    return end(transfer, Reply::unreachable(code_text(addresses.error().code), transfer.about(detail)));
  }
  // It may be a mistake or an attack; once the name leads elsewhere again, the delivery goes on.
  if (auto allowed = world_.guard.check(*addresses, transfer.target().trust); !allowed) {
    return end(transfer, Reply::unreachable(code_text(Errc::unavailable), transfer.about(allowed.error().message)));
  }
  connect(transfer, *addresses);
}

void Client::connect(Transfer& transfer, std::span<const Address> addresses) {
  if (!transfer.sending().delivery.may_leave()) return end(transfer, Reply::withheld());
  transfer.aim_at(pins_.choose(transfer.url().host, addresses));
  transfer.addresses_count = addresses.size();
  transfer.prepare(now_);
  multi_.add(transfer);
}

// Go on
// --------------------------------------------------------------------------------------------------------------------

void Client::ready(const Ready& ready) {
  switch (ready.watcher) {
    case Watcher::client:
      return multi_.ready(ready);
    case Watcher::resolver:
      return resolver_->ready(ready.descriptor, ready.interest.read, ready.interest.write);
  }
  std::unreachable();
}

void Client::go_on() {
  now_ = real_now();
  if (resolver_->next_timeout().value_or(expiry_interval) <= Duration::zero()) resolver_->timed_out();
  multi_.run_due();
  harvest();
  give_up_expired();
  if (admission_.is_anybody_waiting()) {
    admission_.admit([this](Channel& channel, Sending sending) { start(channel, std::move(sending)); });
  }
  outgoing_.post();
}

std::optional<Duration> Client::next_timeout() const {
  std::optional<Duration> next = multi_.next_timeout();
  const auto sooner = [&](Duration other) { next = std::min(next.value_or(other), other); };
  if (const auto resolver = resolver_->next_timeout()) sooner(*resolver);
  if (admission_.is_anybody_waiting()) sooner(expiry_interval);
  return next;
}

void Client::give_up_expired() {
  if (!admission_.is_anybody_waiting()) return;
  for (const Sending& sending : admission_.take_expired(now_)) {
    complete(sending,
             Reply::unreachable(code_text(Errc::unavailable), "No connection was free in time; nothing was sent."));
  }
}

// End
// --------------------------------------------------------------------------------------------------------------------

void Client::harvest() {
  while (const auto ended = multi_.next_ended()) settle(*ended);
}

void Client::settle(const Ended& ended) {
  Transfer& transfer = *ended.transfer;
  multi_.remove(transfer);
  if (!may_try_another_address(transfer, ended.code)) {
    return end(transfer, transfer.reply(ended.code, world_.clock.now()));
  }
  pins_.failed(transfer.url().host, transfer.address());
  ++transfer.addresses_failed;
  look_up(transfer);
}

bool Client::may_try_another_address(const Transfer& transfer, CURLcode code) const {
  if (code == CURLE_OK) return false;
  return is_of_the_address(transfer.failure(code)) && transfer.sending().deadline > now_ &&
         transfer.addresses_failed + 1 < std::min(transfer.addresses_count, addresses_tried_max);
}

void Client::end(Transfer& transfer, Reply reply) {
  complete(transfer.sending(), std::move(reply));
  drop(transfer);
}

void Client::drop(Transfer& transfer) {
  admission_.ended(transfer.channel());
  transfer.unload();
  const std::size_t place = transfer.place;
  std::swap(under_way_[place], under_way_.back());
  under_way_[place]->place = place;
  if (spare_.size() < spare_max) spare_.push_back(std::move(under_way_.back()));
  under_way_.pop_back();
}

void Client::complete(const Sending& sending, Reply reply) {
  outgoing_.add(*sending.done, {.ticket = sending.delivery.ticket, .reply = std::move(reply)});
}

void Client::stop_starting(const Completions& done) {
  admission_.forget_waiting(done);
  for (const auto& transfer : under_way_) {
    if (transfer->is_of(done) && !transfer->is_added) transfer->disown();  // Its look-up cannot be called back.
  }
}

bool Client::has_under_way(const Completions& done) const {
  return std::ranges::any_of(under_way_, [&](const auto& transfer) { return transfer->is_of(done); });
}

void Client::give_up(const Completions& done) {
  for (std::size_t place = under_way_.size();
       place-- > 0;) {  // From the end: the last one takes a dropped one's place.
    Transfer& transfer = *under_way_[place];
    if (!transfer.is_of(done)) continue;
    if (!transfer.is_added) {
      transfer.disown();
      continue;
    }
    multi_.remove(transfer);
    drop(transfer);
  }
}

}  // namespace makegood::http
