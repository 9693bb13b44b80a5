// One tenant with very many messages in front does not hold the others up.
#include <chrono>
#include <iostream>

#include "tests/integration/scale/at_scale.hpp"

namespace makegood {
namespace {

constexpr std::size_t others = 100;

class FairShare : public AtScale {
 protected:
  FairShare() { options.destinations[0].rate_max = 1000; }

  const std::size_t in_front = is_full_size() ? 1'000'000 : 20'000;

  void enqueue_the_many() {
    for (std::size_t done = 0; done < in_front; done += 10'000) enqueue(10'000, {message("big")});
  }
  void enqueue_the_others() {
    std::vector<NewMessage> messages;
    for (std::size_t i = 0; i < others; ++i) messages.push_back(message("tenant-" + std::to_string(i)));
    enqueue(others, messages);
  }
  /// How long after now the last of the others is sent.
  Duration time_until_the_others_are_sent() {
    const MonotonicTime start = clock.monotonic();
    const auto really = std::chrono::steady_clock::now();
    MonotonicTime last = MonotonicTime::max();
    std::size_t count = 0;
    const auto send = [&](const Delivery& delivery) {
      if (delivery.message->tenant_id != "big" && ++count == others) {
        last = clock.monotonic();
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - really;
        std::cout << in_front << " in front: the others after " << (last - start).count() / 1000
                  << " ms of the clock; the work took " << spent.count() << " s\n";
      }
      return Outcome::ok();
    };
    while (count < others && clock.monotonic() < start + 10s) relay().run_until(clock.monotonic() + 100ms, send);
    EXPECT_EQ(count, others);
    return last - start;
  }
};

TEST_F(FairShare, OthersBehindAMillionAreNotDelayedByMoreThanASecond) {
  enqueue_the_many();
  enqueue_the_others();
  take();
  EXPECT_LE(time_until_the_others_are_sent(), 1s);
}

TEST_F(FairShare, OthersThatComeWhileAMillionAreOnTheirWayAreNotDelayedByMoreThanASecond) {
  enqueue_the_many();
  take();
  relay().run_until(clock.monotonic() + 1s, [](const Delivery&) { return Outcome::ok(); });
  enqueue_the_others();
  EXPECT_LE(time_until_the_others_are_sent(), 1s);
}

TEST_F(FairShare, TheManyAreDeliveredAllTheSame) {
  enqueue(3000, {message("big")});
  enqueue_the_others();
  take();
  std::size_t count = 0;
  relay().run_until(clock.monotonic() + 4s, [&](const Delivery&) {
    ++count;
    return Outcome::ok();
  });
  EXPECT_EQ(count, 3000 + others) << "at a thousand a second";
  EXPECT_TRUE(position().sides.empty());
}

}  // namespace
}  // namespace makegood
