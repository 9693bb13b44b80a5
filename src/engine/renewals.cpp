#include "engine/renewals.hpp"

#include <algorithm>

namespace makegood {
namespace {

/// So often within a lease, so that one renewal may fail.
constexpr int renewals_per_lease = 3;
constexpr Duration retry_min = std::chrono::milliseconds(1);
constexpr Duration sleep_max = std::chrono::hours(1);

Duration interval_of(Duration lease) { return std::max(lease / renewals_per_lease, retry_min); }

MonotonicTime monotonic_now() { return system_clock().monotonic(); }

}  // namespace

Renewals::Renewals(std::unique_ptr<IdempotencyStore> store)
    : store_(std::move(store)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

Renewals::~Renewals() = default;

Renewals::Place Renewals::hold(const ClaimToken& claim, Duration lease, MonotonicTime since) {
  const std::scoped_lock lock(mutex_);
  const Held held{.claim = claim, .lease = lease, .due = since + interval_of(lease), .until = since + lease};
  const auto place = held_.insert(held_.end(), held);
  // Most claims are settled long before their first renewal, and the thread need not hear of them.
  is_due_earlier_ = is_due_earlier_ || held.due < wakes_at_;
  if (is_due_earlier_) has_changed_.notify_all();
  return place;
}

void Renewals::let_go(Place place) {
  std::unique_lock lock(mutex_);
  // A renewal of it may be under way: afterwards nothing of it may reach the store any more.
  has_changed_.wait(lock, [&] { return renewing_ != place; });
  held_.erase(place);
}

bool Renewals::is_held(Place place) const {
  const std::scoped_lock lock(mutex_);
  return !place->is_lost && monotonic_now() < place->until;
}

Renewals::Place Renewals::next() {
  auto first = held_.end();
  for (auto one = held_.begin(); one != held_.end(); ++one) {
    if (!one->is_lost && (first == held_.end() || one->due < first->due)) first = one;
  }
  return first;
}

void Renewals::renew(Place place, std::unique_lock<std::mutex>& lock) {
  renewing_ = place;
  const Held& held = *place;  // Nobody erases it meanwhile, and its claim and lease never change.
  lock.unlock();
  const MonotonicTime asked_at = monotonic_now();
  const auto renewed = store_->renew(held.claim, held.lease);
  lock.lock();
  renewing_.reset();
  if (renewed) place->until = asked_at + held.lease;
  place->is_lost = !renewed && renewed.error().code == Errc::fenced;
  place->due = monotonic_now() + (renewed ? interval_of(held.lease) : std::max(held.lease / 10, retry_min));
  has_changed_.notify_all();
}

void Renewals::sleep(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  has_changed_.wait_until(lock, stop, wakes_at_, [&] { return is_due_earlier_; });
  is_due_earlier_ = false;
}

void Renewals::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto first = next();
    const MonotonicTime now = monotonic_now();
    wakes_at_ = first == held_.end() ? now + sleep_max : first->due;
    if (wakes_at_ > now) {
      sleep(lock, stop);
    } else {
      renew(first, lock);
    }
  }
}

}  // namespace makegood
