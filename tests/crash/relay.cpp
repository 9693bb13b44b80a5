#include "tests/crash/relay.hpp"

#include <algorithm>

#include "tests/crash/failpoints.hpp"
#include "tests/crash/store_at.hpp"
#include "tests/crash/watched_store.hpp"

namespace makegood::crash {
namespace {

using namespace std::chrono_literals;

DispatcherOptions options_for(const Handlers& handlers, Duration lease) {
  return {.outbox = outbox,
          .destinations = handlers.destinations(),
          .routes = handlers.routes(),
          .lease = lease,
          .clean_interval = 1s,
          .clean = {.retention = 500ms, .dead_retention = {}, .rows_max = 1000}};
}

}  // namespace

void set_to_machine_time(testing_support::FakeClock& clock, Duration later) {
  clock.shift_wall(system_clock().now() + later - clock.now());
}

Relay::Relay(const Chronicle& chronicle) : chronicle_(chronicle), transport_(handlers_.transport(), chronicle, owner_) {
  handlers_.on("*", "receipts", [this](const Delivery& delivery) { return handle(delivery); },
               {.retry = {.attempts_max = 1000, .base = 2ms, .cap = 10ms}});
}

Result<std::unique_ptr<Relay>> Relay::open(const Place& place, const Chronicle& chronicle, const Clock& clock,
                                           Duration lease) {
  std::unique_ptr<Relay> relay(new Relay(chronicle));
  auto store = std::make_unique<WatchedStore>(MAKEGOOD_TRY(open_store_at(place, clock)), chronicle, relay->owner_);
  MAKEGOOD_TRY(store->migrate());
  relay->dispatcher_.emplace(std::move(store), std::vector<Transport*>{&relay->transport_},
                             options_for(relay->handlers_, lease), nullptr, clock);
  return relay;
}

/// What arrives is written down before it is answered.
Outcome Relay::handle(const Delivery& delivery) const {
  pass("send.arriving");
  const std::string_view content = delivery.message->content;
  if (content.starts_with("\"broken") && !is_repaired_) return Outcome::fail("BROKEN");
  if (content.starts_with("\"moody") && delivery.attempt == 1) return Outcome::retry("MOODY");
  chronicle_.note({"arrived", delivery.destination->name, delivery.message->event_id, content});
  pass("send.arrived");
  return Outcome::ok();
}

void Relay::run_for(Duration duration, testing_support::FakeClock& clock) {
  const MonotonicTime until = clock.monotonic() + duration;
  while (clock.monotonic() < until) {
    transport_.await_answers();
    if (dispatcher_->run_once(clock.monotonic())) continue;
    const MonotonicTime wake = std::min(dispatcher_->next_wake(), until);
    clock.advance(std::max<Duration>(wake - clock.monotonic(), 100us));
  }
  transport_.await_answers();
}

}  // namespace makegood::crash
