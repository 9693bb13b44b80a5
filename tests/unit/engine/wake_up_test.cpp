#include "engine/wake_up.hpp"

#include <thread>

namespace makegood::engine {
namespace {

using namespace std::chrono_literals;

bool is_readable(const WakeUp& wake_up) { return wait_for(wake_up.descriptor(), {}); }

TEST(WakeUp, IsReadableWhileSomethingHasNotBeenTaken) {
  WakeUp wake_up;
  EXPECT_FALSE(is_readable(wake_up));
  wake_up.wake();
  wake_up.arrived();
  EXPECT_TRUE(is_readable(wake_up));
  EXPECT_TRUE(wake_up.take());
  EXPECT_FALSE(is_readable(wake_up));
  EXPECT_FALSE(wake_up.take());
}

TEST(WakeUp, EndsAWaitWhenSomethingArrives) {
  WakeUp wake_up;
  const std::jthread sender([&] { wake_up.arrived(); });
  EXPECT_TRUE(wait_for(wake_up.descriptor(), 1h));
}

TEST(WakeUp, LetsAWaitEndWhenTheTimeHasCome) {
  const WakeUp wake_up;
  const MonotonicTime now = system_clock().monotonic();
  EXPECT_FALSE(wait_for(wake_up.descriptor(), 1ms));
  EXPECT_FALSE(wait_for(wake_up.descriptor(), -1h));
  EXPECT_GE(system_clock().monotonic(), now + 1ms);
}

}  // namespace
}  // namespace makegood::engine
