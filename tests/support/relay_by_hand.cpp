#include "tests/support/relay_by_hand.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace makegood::testing_support {
namespace {

/// So much happens at one moment only when something goes round in circles.
constexpr int steps_max = 1'000'000;
/// So often in a row a relay may have something to do at once, and nothing comes of it.
constexpr int busy_max = 1000;

Owner new_owner() {
  static int count = 0;
  return "owner-" + std::to_string(++count);
}

}  // namespace

RelayByHand::RelayByHand(OutboxStore& store, FakeClock& clock, const DispatcherOptions& options)
    : store_(store), clock_(clock), lane_(options, 7), lease_(options.lease) {}

bool RelayByHand::take(const Owner& former) {
  const Owner owner = new_owner();
  const MonotonicTime asked_at = clock_.monotonic();
  auto taken = store_.take(owner, lease_, former);
  EXPECT_TRUE(taken) << (taken ? "" : taken.error().message);
  if (!taken || !*taken) return false;
  in_flight_.clear();
  uncommitted_ = nullptr;
  lane_.begin(owner, std::move(**taken), asked_at);
  return true;
}

bool RelayByHand::look() {
  auto found = store_.look(lane_.look_for(clock_.monotonic()));
  EXPECT_TRUE(found) << (found ? "" : found.error().message);
  if (!found) return false;
  uncommitted_ = lane_.decide(std::move(*found), clock_.monotonic());
  turn_ = uncommitted_ != nullptr ? *uncommitted_ : Turn{};
  return uncommitted_ != nullptr;
}

void RelayByHand::commit() {
  ASSERT_NE(uncommitted_, nullptr) << "there is no turn to commit";
  const auto committed = store_.commit(*std::exchange(uncommitted_, nullptr));
  ASSERT_TRUE(committed) << committed.error().message << committed.error().diagnostics;
  ++turn_count_;
  lane_.committed(*committed, clock_.monotonic());
}

bool RelayByHand::exchange() {
  const bool has_turn = look();
  if (has_turn) commit();
  return has_turn;
}

std::vector<Delivery> RelayByHand::release() {
  auto deliveries = lane_.release(clock_.monotonic());
  for (const Delivery& delivery : deliveries) {
    in_flight_[{delivery.message->sequence, delivery.destination->name}] = delivery.ticket;
  }
  return deliveries;
}

void RelayByHand::answer(Sequence sequence, const std::string& destination, Outcome outcome) {
  const auto ticket = in_flight_.extract({sequence, destination});
  ASSERT_FALSE(ticket.empty()) << sequence << " is not on its way to " << destination;
  lane_.answered({{ticket.mapped(), std::move(outcome)}}, clock_.monotonic());
}

/// True if anything was sent or committed.
bool RelayByHand::step(const Answer& answer) {
  const bool has_turn = lane_.next_exchange(clock_.monotonic()) <= clock_.monotonic() && exchange();
  const auto deliveries = release();
  for (const Delivery& delivery : deliveries) {
    if (auto outcome = answer(delivery)) {
      this->answer(delivery.message->sequence, delivery.destination->name, std::move(*outcome));
    }
  }
  return has_turn || !deliveries.empty();
}

void RelayByHand::run(const Answer& answer) {
  exchange();
  settle(answer);
}

void RelayByHand::settle(const Answer& answer) {
  int steps = 0;
  // An exchange that has nothing to say may have moved somebody on all the same.
  for (int idle = 0; idle < 10; ++idle) {
    while (step(answer)) {
      idle = 0;
      ASSERT_LT(++steps, steps_max) << "this moment does not end";
    }
  }
}

void RelayByHand::run_until(MonotonicTime end, const Answer& answer) {
  run(answer);
  int busy = 0;
  while (clock_.monotonic() < end) {
    const MonotonicTime now = clock_.monotonic();
    const MonotonicTime next = std::min(lane_.next_exchange(now), lane_.next_release(now));
    busy = next <= now ? busy + 1 : 0;
    ASSERT_LT(busy, busy_max) << "it wants to exchange or send all the time, and does nothing";
    clock_.advance(std::clamp<Duration>(next - now, std::chrono::microseconds(1), end - now));
    settle(answer);
  }
}

}  // namespace makegood::testing_support
