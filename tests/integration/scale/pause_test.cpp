// A paused destination resumes in order, whatever came in meanwhile.
#include "tests/integration/scale/at_scale.hpp"

namespace makegood {
namespace {

class PausedDestination : public AtScale {
 protected:
  std::vector<NewMessage> of_many_keys() {
    std::vector<NewMessage> messages;
    for (int i = 0; i < 50; ++i) messages.push_back(message("default", "k" + std::to_string(i)));
    return messages;
  }
};

TEST_F(PausedDestination, ResumesInOrder) {
  const std::size_t size = is_full_size() ? 500'000 : 2'000;
  FirstArrivals arrivals;
  const auto receive = [&](const Delivery& delivery) {
    arrivals.add(delivery);
    return Outcome::ok();
  };
  options.destinations[0].rate_max = 1000;
  enqueue(1000, of_many_keys());
  take();
  relay().run_until(clock.monotonic() + 500ms, receive);
  ASSERT_EQ(ask({.kind = RequestKind::pause, .destination = "fn:a", .operator_name = {}}), "done");
  const std::size_t before = arrivals.count();
  ASSERT_LT(before, 1000U) << "it is paused half way";
  enqueue(size, of_many_keys());
  relay().run_until(clock.monotonic() + 10min, receive);
  EXPECT_EQ(arrivals.count(), before);
  EXPECT_EQ(count("count(*) FROM makegood_outbox_parked"), 0U);

  ASSERT_EQ(ask({.kind = RequestKind::resume, .destination = "fn:a", .operator_name = {}}), "done");
  const auto needed = std::chrono::seconds(size / 1000 + 2);
  relay().run_until(clock.monotonic() + needed, receive);
  EXPECT_EQ(arrivals.count(), size + 1000);
  EXPECT_EQ(arrivals.out_of_order(), 0U);
  EXPECT_TRUE(position().sides.empty());
}

}  // namespace
}  // namespace makegood
