#include "engine/completion_queue.hpp"

#include <poll.h>

#include <thread>

namespace makegood::engine {
namespace {

using namespace std::chrono_literals;

bool is_readable(const CompletionQueue& inbox) {
  pollfd event{.fd = inbox.descriptor(), .events = POLLIN, .revents = 0};
  return poll(&event, 1, 0) == 1;
}

TEST(CompletionQueue, IsReadableWhileSomethingHasNotBeenTaken) {
  CompletionQueue inbox;
  EXPECT_FALSE(is_readable(inbox));
  inbox.wake();
  inbox.post({Report{.ticket = 7}});
  EXPECT_TRUE(is_readable(inbox));

  const Happened happened = inbox.take();
  EXPECT_TRUE(happened.is_woken);
  ASSERT_EQ(happened.completions.size(), 1U);
  EXPECT_EQ(happened.completions[0][0].ticket, 7U);
  EXPECT_FALSE(is_readable(inbox));
  EXPECT_FALSE(inbox.take().is_anything());
}

TEST(CompletionQueue, EndsAWaitWhenSomethingHappens) {
  CompletionQueue inbox;
  const std::jthread poster([&] { inbox.post({Report{.ticket = 1}}); });
  EXPECT_TRUE(wait_for(inbox.descriptor(), 1h));
  EXPECT_EQ(inbox.take().completions.size(), 1U);
}

TEST(CompletionQueue, LetsAWaitEndWhenTheTimeHasCome) {
  const CompletionQueue inbox;
  const MonotonicTime now = system_clock().monotonic();
  EXPECT_FALSE(wait_for(inbox.descriptor(), 1ms));
  EXPECT_FALSE(wait_for(inbox.descriptor(), -1h));
  EXPECT_GE(system_clock().monotonic(), now + 1ms);
}

}  // namespace
}  // namespace makegood::engine
