#include "transports/net/poller.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <thread>
#include <vector>

#include "transports/http/net.hpp"

namespace makegood::http {
namespace {

using namespace std::chrono_literals;

class HttpPoller : public testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> ends = {};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    here_ = Descriptor(ends[0]);
    there_ = Descriptor(ends[1]);
  }
  void speak() { ASSERT_EQ(::write(there_.number(), "x", 1), 1); }
  std::vector<Ready> ready() {
    const auto all = poller_.wait(0ms);
    return {all.begin(), all.end()};
  }

  Poller poller_ = *Poller::open();
  Descriptor here_;
  Descriptor there_;
};

TEST_F(HttpPoller, TellsWhatIsPossibleAndToWhom) {
  poller_.watch(here_.number(), Watcher::resolver, {.read = true});
  EXPECT_TRUE(ready().empty());
  speak();
  ASSERT_EQ(ready().size(), 1U);
  EXPECT_EQ(ready().front().descriptor, here_.number());
  EXPECT_EQ(ready().front().watcher, Watcher::resolver);
  EXPECT_EQ(ready().front().interest, (Interest{.read = true}));
  poller_.watch(here_.number(), Watcher::client, {.read = true, .write = true});
  EXPECT_EQ(ready().front().interest, (Interest{.read = true, .write = true}));
}

TEST_F(HttpPoller, SaysNothingOfADescriptorThatRestsAndEverythingWhenItIsWatchedAgain) {
  poller_.watch(here_.number(), Watcher::client, {.read = true});
  poller_.rest(here_.number());
  speak();
  EXPECT_TRUE(ready().empty());
  EXPECT_TRUE(ready().empty());
  poller_.watch(here_.number(), Watcher::client, {.read = true});
  EXPECT_EQ(ready().size(), 1U);
}

TEST_F(HttpPoller, KnowsANewDescriptorWithTheNumberOfAClosedOne) {
  const int number = here_.number();
  poller_.watch(number, Watcher::client, {.read = true});
  poller_.forget(number);
  here_ = Descriptor();
  SetUp();
  ASSERT_EQ(here_.number(), number);
  poller_.watch(number, Watcher::client, {.read = true});
  speak();
  EXPECT_EQ(ready().size(), 1U);
}

TEST_F(HttpPoller, ReportsAClosedPeerBothWays) {
  poller_.watch(here_.number(), Watcher::client, {.write = true});
  there_ = Descriptor();
  ASSERT_EQ(ready().size(), 1U);
  EXPECT_EQ(ready().front().interest, (Interest{.read = true, .write = true}));
}

TEST_F(HttpPoller, WakesUpWhenSomebodyRings) {
  const std::jthread other([this] { poller_.ring(); });
  EXPECT_TRUE(poller_.wait(std::nullopt).empty());
}

}  // namespace
}  // namespace makegood::http
