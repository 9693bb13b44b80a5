#include "engine/loop.hpp"

#include <algorithm>
#include <atomic>
#include <random>
#include <utility>

#include "makegood/assert.hpp"
#include "makegood/id.hpp"

namespace makegood {
namespace {

using namespace std::chrono_literals;

/// How often a lane that somebody else owns is asked for. On SQLite a dead owner is noticed this fast.
constexpr Duration take_interval = 50ms;
constexpr Duration trouble_wait_min = 10ms;
constexpr Duration trouble_wait_max = 1s;

Observer& nobody() {
  static Observer observer;
  return observer;
}

std::uint64_t seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

}  // namespace

Dispatcher::Loop::Loop(std::unique_ptr<OutboxStore> store, std::vector<Transport*> transports,
                       DispatcherOptions options, Observer* observer, const Clock& clock)
    : store_(std::move(store)),
      transports_(std::move(transports)),
      observer_(observer != nullptr ? *observer : nobody()),
      clock_(clock),
      outbox_(options.outbox),
      options_(std::move(options)),
      lane_(options_, seed()) {}

Dispatcher::Loop::~Loop() { stop(5s); }

void Dispatcher::Loop::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Dispatcher::Loop::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) run_once(clock_.monotonic() + options_.safety_interval);
}

void Dispatcher::Loop::stop(Duration grace) {
  if (thread_.joinable()) {
    thread_.request_stop();
    inbox_.wake();
    thread_.join();
  }
  if (!std::exchange(is_finished_, true)) finish(grace);
}

/// Nothing new starts; what is under way may end, while the lease is renewed; one last turn records it and gives the
/// lane up.
void Dispatcher::Loop::finish(Duration grace) {
  lane_.stop();
  std::atomic<bool> are_stopped = false;
  const std::jthread stopper([&] {
    const MonotonicTime until = clock_.monotonic() + grace;
    for (Transport* transport : transports_) transport->stop(std::max<Duration>(until - clock_.monotonic(), {}));
    are_stopped = true;
    inbox_.wake();
  });
  while (!are_stopped) run_once(clock_.monotonic() + options_.safety_interval);
  handle(inbox_.take());
  if (!lane_.is_owner()) return;
  lane_.give_up();
  exchange();
  report();
}

bool Dispatcher::Loop::run_once(MonotonicTime deadline) {
  const MonotonicTime now = clock_.monotonic();
  const MonotonicTime until = std::min(deadline, next_wake());
  if (until > now) inbox_.wait(now, until);
  return handle(inbox_.take());
}

/// True if there was an exchange or anything to send.
bool Dispatcher::Loop::handle(engine::Happened happened) {
  take_new_options();
  const MonotonicTime now = clock_.monotonic();
  for (auto& completions : happened.completions) lane_.answered(std::move(completions), now);
  auto deliveries = lane_.release(now);
  const bool has_sent = !deliveries.empty();
  send(std::move(deliveries));

  const bool is_calm = now >= trouble_until_;
  if (is_calm && !lane_.is_owner() && now >= take_at_ && !is_finished_) take_lane();
  const bool has_exchanged = is_calm && lane_.is_owner() && is_exchange_due(happened.is_woken);
  if (has_exchanged) exchange();
  report();
  return has_sent || has_exchanged;
}

void Dispatcher::Loop::take_new_options() {
  if (uncommitted_ != nullptr) return;
  std::optional<DispatcherOptions> options;
  {
    const std::scoped_lock lock(mutex_);
    options = std::exchange(new_options_, std::nullopt);
  }
  if (!options) return;
  options_ = std::move(*options);
  lane_.configure(options_);
}

void Dispatcher::Loop::take_lane() {
  const MonotonicTime now = clock_.monotonic();
  const Owner owner = new_ulid();
  auto taken = store_->take(owner, options_.lease, former_);
  take_at_ = now + take_interval;
  if (!taken) return wait_after(taken.error());
  trouble_count_ = 0;
  if (!*taken) return;
  lane_.begin(owner, std::move(**taken), now);
  former_ = owner;
  observer_.ownership(outbox_, "taken", owner);
}

bool Dispatcher::Loop::is_exchange_due(bool is_woken) {
  const MonotonicTime now = clock_.monotonic();
  if (is_woken || uncommitted_ != nullptr || lane_.next_exchange(now) <= now) return true;
  if (now < poll_at_) return false;
  poll_at_ = now + options_.poll_interval;
  return store_->has_changed();
}

void Dispatcher::Loop::exchange() {
  if (uncommitted_ == nullptr) {
    auto found = store_->look(lane_.look_for(clock_.monotonic()));
    if (!found) return wait_after(found.error());
    uncommitted_ = lane_.decide(std::move(*found), clock_.monotonic());
  }
  if (uncommitted_ != nullptr) commit(*uncommitted_);
  send(lane_.release(clock_.monotonic()));
}

void Dispatcher::Loop::commit(const Turn& turn) {
  const auto committed = store_->commit(turn);
  if (committed) {
    uncommitted_ = nullptr;
    trouble_count_ = 0;
    lane_.committed(*committed, clock_.monotonic());
    if (!lane_.is_owner()) observer_.ownership(outbox_, "given up", former_);
  } else if (committed.error().code == Errc::fenced || committed.error().code == Errc::in_doubt) {
    lose(committed.error());
  } else {
    wait_after(committed.error());  // Certainly not written: the same turn is tried again.
  }
}

/// Fenced or in doubt are one case: we no longer know what the store knows, so we start anew from what it says.
void Dispatcher::Loop::lose(const Error& error) {
  uncommitted_ = nullptr;
  lane_.forget();
  take_at_ = {};
  observer_.alarm(outbox_, error);
  observer_.ownership(outbox_, "lost", former_);
}

void Dispatcher::Loop::wait_after(const Error& error) {
  const Duration wait = std::min(trouble_wait_min * (1 << std::min(trouble_count_, 10U)), trouble_wait_max);
  ++trouble_count_;
  trouble_until_ = clock_.monotonic() + wait;
  observer_.alarm(outbox_, error);
}

void Dispatcher::Loop::send(std::vector<Delivery> deliveries) {
  if (deliveries.empty()) return;
  if (transports_.size() == 1) return transports_.front()->send(std::move(deliveries), inbox_);
  while (!deliveries.empty()) {
    Transport& transport = transport_for(*deliveries.front().destination);
    const auto rest = std::stable_partition(deliveries.begin(), deliveries.end(), [&](const Delivery& delivery) {
      return &transport_for(*delivery.destination) == &transport;
    });
    std::vector<Delivery> others(std::make_move_iterator(rest), std::make_move_iterator(deliveries.end()));
    deliveries.erase(rest, deliveries.end());
    transport.send(std::exchange(deliveries, std::move(others)), inbox_);
  }
}

Transport& Dispatcher::Loop::transport_for(const Destination& destination) const {
  const std::string_view scheme = std::string_view(destination.name).substr(0, destination.name.find(':'));
  const auto found = std::ranges::find(transports_, scheme, [](const Transport* t) { return t->features().scheme; });
  MAKEGOOD_ASSERT(found != transports_.end());
  return **found;
}

void Dispatcher::Loop::report() {
  const auto settled = lane_.take_settled();
  if (!settled.empty()) observer_.settled(outbox_, settled);
  for (const Error& alarm : lane_.take_alarms()) observer_.alarm(outbox_, alarm);
  if (const std::size_t count = lane_.take_replayed_count(); count > 0) observer_.replayed(outbox_, count);
  observer_.figures(outbox_, lane_.figures());
}

MonotonicTime Dispatcher::Loop::next_wake() {
  const MonotonicTime now = clock_.monotonic();
  if (now < trouble_until_) return std::min(trouble_until_, lane_.next_release(now));
  if (!lane_.is_owner()) return is_finished_ ? MonotonicTime::max() : take_at_;
  if (uncommitted_ != nullptr) return now;
  return std::min({lane_.next_exchange(now), lane_.next_release(now), poll_at_});
}

void Dispatcher::Loop::reconfigure(DispatcherOptions options) {
  {
    const std::scoped_lock lock(mutex_);
    new_options_ = std::move(options);
  }
  inbox_.wake();
}

}  // namespace makegood
