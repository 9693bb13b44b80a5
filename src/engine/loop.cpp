#include "engine/loop.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/seed.hpp"
#include "makegood/id.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood {
namespace {

using namespace std::chrono_literals;

/// How often a lane that somebody else owns is asked for. On SQLite a dead owner is noticed this fast.
constexpr Duration take_interval = 50ms;
constexpr Duration trouble_wait_min = 10ms;
constexpr Duration trouble_wait_max = 1s;

/// How long a commit may take from its first write until it can be seen, before only the slow poll is left to notice
/// it.
constexpr Duration stir_time = 150ms;
constexpr Duration first_poll_wait = 1ms;
/// Nobody writes, as far as the store can tell.
constexpr Duration quiet_poll_wait = 100ms;

/// Where the store has no signs: what has come is followed by more for about so long, and noticed this fast. Evenly,
/// because asking sooner at first and later then costs more questions for the same wait.
constexpr Duration busy_time = 100ms;
constexpr Duration busy_poll_wait = 4ms;

void listen_to(int events, int descriptor) {
  epoll_event event{.events = EPOLLIN, .data = {}};
  if (descriptor >= 0) MAKEGOOD_ASSERT(epoll_ctl(events, EPOLL_CTL_ADD, descriptor, &event) == 0);
}

std::string_view scheme_of(const Destination& destination) {
  return std::string_view(destination.name).substr(0, destination.name.find(':'));
}

/// What broke says more than that the outcome is unknown.
Error told_as(const Error& error) {
  Error told = error;
  if (error.cause) told.code = *error.cause;
  return told;
}

Observer& nobody() {
  static Observer observer;
  return observer;
}

/// The schemes of those that keep the limits of their destinations by themselves.
std::vector<std::string> running_ahead(const std::vector<Transport*>& transports) {
  std::vector<std::string> schemes;
  for (const Transport* transport : transports) {
    const TransportFeatures features = transport->features();
    if (features.keeps_in_flight_max) schemes.emplace_back(features.scheme);
  }
  return schemes;
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
      lane_(options_, seed_of_the_system(), running_ahead(transports_)),
      events_(epoll_create1(EPOLL_CLOEXEC)) {
  MAKEGOOD_ASSERT(events_.number() >= 0);
  listen_to(events_.number(), inbox_.descriptor());
}

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
  std::atomic<bool> are_drained = false;
  const std::jthread drainer([&] {
    const MonotonicTime until = clock_.monotonic() + grace;
    for (Transport* transport : transports_) {
      transport->drain(inbox_, std::max<Duration>(until - clock_.monotonic(), {}));
    }
    are_drained = true;
    inbox_.wake();
  });
  while (!are_drained) run_once(clock_.monotonic() + options_.safety_interval);
  handle(inbox_.take());
  if (!lane_.is_owner()) return;
  lane_.give_up();
  exchange();
  report();
}

bool Dispatcher::Loop::run_once(MonotonicTime deadline) {
  const MonotonicTime now = clock_.monotonic();
  const MonotonicTime until = std::min(deadline, next_wake());
  if (until > now) engine::wait_for(events_.number(), until - now);
  return handle(inbox_.take());
}

/// True if there was an exchange or anything to send.
bool Dispatcher::Loop::handle(engine::Happened happened) {
  take_new_options();
  const MonotonicTime now = clock_.monotonic();
  take_answers(std::move(happened.completions));
  auto deliveries = lane_.release(now);
  const bool has_sent = !deliveries.empty();
  send(std::move(deliveries));

  const bool is_calm = now >= trouble_until_;
  if (is_calm && !lane_.is_owner() && now >= take_at_ && !is_finished_) take_lane();
  const bool may_exchange = is_calm && lane_.is_owner();
  const bool is_due =
      may_exchange && (happened.is_woken || uncommitted_ != nullptr || lane_.next_exchange(now) <= clock_.monotonic());
  // Whoever looks anyway need not ask.
  const bool has_exchanged = is_due || (may_have_changed() && may_exchange);
  if (has_exchanged) exchange();
  report();
  return has_sent || has_exchanged;
}

void Dispatcher::Loop::take_answers(std::vector<std::vector<Completion>> completions) {
  for (auto& posted : completions) lane_.answered(std::move(posted), clock_.monotonic());
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
  begin_exchange();
  const MonotonicTime now = asked_at_;
  const Owner owner = new_ulid();
  auto taken = store_->take(owner, options_.lease, former_);
  take_at_ = now + take_interval;
  if (!taken) return wait_after(taken.error());
  trouble_count_ = 0;
  if (!*taken) return;
  lane_.begin(owner, std::move(**taken), now);
  lease_until_ = now + options_.lease;
  lease_ = std::make_shared<Lease>(boot_asked_at_ + (lane_.send_until() - now));
  former_ = owner;
  if (!std::exchange(is_listening_, store_->change_descriptor() >= 0)) {
    listen_to(events_.number(), store_->change_descriptor());
  }
  observer_.ownership(outbox_, "taken", owner);
}

/// Commits of others. The first sign of one may come before it can be seen, so the store is then asked again and again
/// for a while; without a sign it is asked rarely.
bool Dispatcher::Loop::may_have_changed() {
  const MonotonicTime now = clock_.monotonic();
  const int signs = store_->change_descriptor();
  if (signs >= 0 && engine::wait_for(signs, {})) {
    stirred_until_ = now + stir_time;
    poll_wait_ = first_poll_wait;
    poll_at_ = now;
  }
  if (now < poll_at_) return false;
  const bool is_quiet = signs >= 0 && now >= stirred_until_;
  poll_wait_ = signs < 0 || poll_wait_ == Duration{} ? wait_without_signs(now)
                                                     : std::min(poll_wait_ * 2, options_.poll_interval);
  poll_at_ = now + (is_quiet ? std::max(quiet_poll_wait, options_.poll_interval) : poll_wait_);
  return store_->has_changed();
}

Duration Dispatcher::Loop::wait_without_signs(MonotonicTime now) const {
  return now < busy_until_ ? std::min(busy_poll_wait, options_.poll_interval) : options_.poll_interval;
}

/// Where there are signs, they say when the store is asked.
void Dispatcher::Loop::expect_more() {
  const MonotonicTime now = clock_.monotonic();
  busy_until_ = now + busy_time;
  if (store_->change_descriptor() < 0) poll_at_ = std::min(poll_at_, now + wait_without_signs(now));
}

/// First the clock of the lease: if we are stopped between the two, it is over the sooner.
void Dispatcher::Loop::begin_exchange() {
  boot_asked_at_ = Lease::now();
  asked_at_ = clock_.monotonic();
}

void Dispatcher::Loop::exchange() {
  if (uncommitted_ == nullptr) {
    begin_exchange();
    auto found = store_->look(lane_.look_for(clock_.monotonic()));
    if (!found) return look_failed(found.error());
    if (!found->rows.empty()) expect_more();
    uncommitted_ = lane_.decide(std::move(*found), clock_.monotonic());
  }
  if (uncommitted_ != nullptr) commit(*uncommitted_);
  take_answers(inbox_.take_completions());  // What ended meanwhile, so that what follows it goes at once.
  send(lane_.release(clock_.monotonic()));
}

/// Another owner has written, or the database has forgotten our last turns: its own position is the truth.
void Dispatcher::Loop::look_failed(const Error& error) {
  if (error.code == Errc::fenced) return lose(error);
  lane_.look_failed();
  wait_after(error);
}

void Dispatcher::Loop::commit(const Turn& turn) {
  const auto committed = store_->commit(turn);
  if (committed) {
    uncommitted_ = nullptr;
    trouble_count_ = 0;
    lane_.committed(*committed, clock_.monotonic());
    lease_until_ = asked_at_ + options_.lease;
    lease_->extend(boot_asked_at_ + (lane_.send_until() - asked_at_));
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
  lease_->end();
  take_at_ = {};
  observer_.alarm(outbox_, told_as(error));
  observer_.ownership(outbox_, "lost", former_);
}

void Dispatcher::Loop::wait_after(const Error& error) {
  const Duration wait = std::min(trouble_wait_min * (1 << std::min(trouble_count_, 10U)), trouble_wait_max);
  ++trouble_count_;
  trouble_until_ = clock_.monotonic() + wait;
  observer_.alarm(outbox_, told_as(error));
}

void Dispatcher::Loop::send(std::vector<Delivery> deliveries) {
  for (Delivery& delivery : deliveries) delivery.lease = lease_;
  while (!deliveries.empty()) {
    Transport* transport = transport_for(*deliveries.front().destination);
    // They come destination by destination, so most have the transport of the one before.
    const Destination* last = deliveries.front().destination.get();
    bool is_last_mine = true;
    const auto rest = std::ranges::stable_partition(deliveries, [&](const Delivery& delivery) {
      if (delivery.destination.get() == last) return is_last_mine;
      last = delivery.destination.get();
      return is_last_mine = transport_for(*last) == transport;
    });
    std::vector<Delivery> others(std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
    deliveries.erase(rest.begin(), rest.end());
    std::vector<Delivery> mine = std::exchange(deliveries, std::move(others));
    if (transport == nullptr) {
      answer_unsendable(mine);
    } else {
      transport->send(std::move(mine), inbox_);
    }
  }
}

/// Null when there is none: a destination in the store may have been meant for another program, or be misspelt.
Transport* Dispatcher::Loop::transport_for(const Destination& destination) const {
  const auto found = std::ranges::find(transports_, scheme_of(destination),
                                       [](const Transport* transport) { return transport->features().scheme; });
  return found != transports_.end() ? *found : nullptr;
}

/// As a transport would, when nobody is there: its circuit opens, and nothing is lost until an operator has mended it.
void Dispatcher::Loop::answer_unsendable(const std::vector<Delivery>& deliveries) {
  std::string known;
  for (const Transport* transport : transports_) {
    known.append(known.empty() ? "" : ", ").append(transport->features().scheme);
  }
  std::vector<Report> reports;
  reports.reserve(deliveries.size());
  for (const Delivery& delivery : deliveries) {
    const std::string scheme(scheme_of(*delivery.destination));
    reports.push_back({delivery.ticket, Reply::unreachable(std::string(to_string(Errc::unavailable)),
                                                           "No transport here is called '" + scheme +
                                                               "'; those that are: " + known + ".")});
  }
  inbox_.post(std::move(reports));
}

void Dispatcher::Loop::report() {
  if (const auto messages = lane_.take_enqueued(); !messages.empty()) observer_.enqueued(outbox_, messages);
  const auto settled = lane_.take_settled();
  if (!settled.empty()) observer_.attempts_ended(outbox_, settled);
  for (const Error& alarm : lane_.take_alarms()) observer_.alarm(outbox_, alarm);
  if (const auto news = lane_.take_news(); !news.empty()) observer_.news(outbox_, news);
  if (const std::size_t count = lane_.take_replayed_count(); count > 0) observer_.replayed(outbox_, count);
  LaneFigures figures = lane_.figures();
  // An owner that cannot reach the store does not know yet that another has taken over; by then its lease is over.
  figures.is_owner = figures.is_owner && clock_.monotonic() < lease_until_;
  observer_.figures(outbox_, figures);
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
