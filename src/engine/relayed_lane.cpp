#include "engine/relayed_lane.hpp"

#include <utility>

#include "base/seed.hpp"
#include "engine/no_observer.hpp"

namespace makegood::engine {
namespace {

std::vector<Completion> judged(std::vector<Report> reports) {
  std::vector<Completion> completions;
  completions.reserve(reports.size());
  for (Report& report : reports) completions.push_back({report.ticket, judged_by_outbox(std::move(report.reply))});
  return completions;
}

}  // namespace

RelayedLane::RelayedLane(std::unique_ptr<OutboxStore> store, std::vector<Transport*> transports,
                         DispatcherOptions options, Observer* observer, const Clock& clock, WakeUp& wake_up,
                         Endpoints* endpoints)
    : store_(std::move(store)),
      transports_(std::move(transports)),
      observer_(or_nobody(observer)),
      clock_(clock),
      outbox_(options.outbox),
      lease_(options.lease),
      waker_(wake_up),
      options_(std::move(options)),
      lane_(options_, seed_of_the_system(), transports_.schemes_running_ahead(), sharing(endpoints, waker_)),
      completions_(wake_up, judged) {}

void RelayedLane::reconfigure(DispatcherOptions options) {
  const std::scoped_lock lock(mutex_);
  new_options_ = std::move(options);
}

void RelayedLane::take_settings() {
  std::optional<DispatcherOptions> options;
  {
    const std::scoped_lock lock(mutex_);
    options = std::exchange(new_options_, std::nullopt);
  }
  if (!options) return;
  options_ = std::move(*options);
  lane_.configure(options_);
}

Result<bool> RelayedLane::take(const Owner& owner, const Owner& former, MonotonicTime asked_at) {
  auto taken = store_->take(owner, lease_, former);
  if (!taken) return taken.error();
  if (!*taken) return false;
  lane_.begin(owner, std::move(**taken), asked_at);
  return true;
}

void RelayedLane::forget() {
  turn_ = nullptr;
  lane_.forget();
}

Result<bool> RelayedLane::look(MonotonicTime asked_at) {
  auto found = store_->look(lane_.look_for(asked_at));
  if (!found) {
    lane_.look_failed();
    return found.error();
  }
  const bool has_rows = !found->rows.empty();
  turn_ = lane_.decide(std::move(*found), clock_.monotonic());
  return has_rows;
}

Result<> RelayedLane::commit() {
  const auto committed = store_->commit(*turn_);
  if (!committed) return committed.error();
  turn_ = nullptr;
  lane_.committed(*committed, clock_.monotonic());
  return {};
}

void RelayedLane::absorb() {
  if (waker_.take_changed()) lane_.hear(clock_.monotonic());
  for (auto& posted : completions_.take()) lane_.answered(std::move(posted), clock_.monotonic());
}

bool RelayedLane::release(MonotonicTime now, const std::shared_ptr<const Lease>& lease) {
  auto deliveries = lane_.release(now);
  if (deliveries.empty()) return false;
  for (Delivery& delivery : deliveries) delivery.lease = lease;
  transports_.send(std::move(deliveries), completions_);
  return true;
}

void RelayedLane::ownership_changed(std::string_view what, const Owner& owner) {
  observer_.ownership(outbox_, what, owner);
}

void RelayedLane::report() {
  if (const auto messages = lane_.take_enqueued(); !messages.empty()) observer_.enqueued(outbox_, messages);
  const auto settled = lane_.take_settled();
  if (!settled.empty()) observer_.attempts_ended(outbox_, settled);
  for (const Error& alarm : lane_.take_alarms()) observer_.alarm(outbox_, alarm);
  if (const auto news = lane_.take_news(); !news.empty()) observer_.news(outbox_, news);
  if (const std::size_t count = lane_.take_replayed_count(); count > 0) observer_.replayed(outbox_, count);
  LaneFigures figures = lane_.figures();
  // An owner that cannot reach the store does not know yet that another has taken over; by then its lease is over.
  figures.is_owner = figures.is_owner && clock_.monotonic() < lane_.lease_until();
  observer_.figures(outbox_, figures);
}

}  // namespace makegood::engine
