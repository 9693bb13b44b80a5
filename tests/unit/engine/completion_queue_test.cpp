#include "engine/completion_queue.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace makegood::engine {
namespace {

using namespace std::chrono_literals;

std::vector<Ticket> tickets(std::vector<Report> reports) {
  const std::vector<Report> taken = std::move(reports);
  std::vector<Ticket> tickets(taken.size());
  std::ranges::transform(taken, tickets.begin(), &Report::ticket);
  return tickets;
}

std::vector<Report> as_they_are(std::vector<Report> reports) { return reports; }

TEST(CompletionQueue, KeepsWhatItsOwnerMakesOfReports) {
  WakeUp wake_up;
  CompletionQueue<Ticket> queue(wake_up, tickets);
  queue.post({Report{.ticket = 7}, Report{.ticket = 8}});
  queue.post({Report{.ticket = 9}});
  EXPECT_EQ(queue.take(), (std::vector<std::vector<Ticket>>{{7, 8}, {9}}));
  EXPECT_TRUE(queue.take().empty());
}

TEST(CompletionQueue, CanKeepTheRepliesThemselves) {
  WakeUp wake_up;
  CompletionQueue<Report> queue(wake_up, as_they_are);
  queue.post({Report{.ticket = 7, .reply = Reply::silent("TX.TIMEOUT", "nothing came back")}});
  const auto posts = queue.take();
  ASSERT_EQ(posts.size(), 1U);
  EXPECT_EQ(posts[0][0].reply.what, Reply::What::silent);
  EXPECT_EQ(posts[0][0].reply.detail, "nothing came back");
}

TEST(CompletionQueue, SignalsThatSomethingHasArrivedAndAsksForNoExchange) {
  WakeUp wake_up;
  CompletionQueue<Ticket> queue(wake_up, tickets);
  queue.post({Report{.ticket = 7}});
  EXPECT_TRUE(wait_for(wake_up.descriptor(), {}));
  EXPECT_FALSE(wake_up.take());
  EXPECT_FALSE(wait_for(wake_up.descriptor(), {}));
}

TEST(CompletionQueue, SignalsAgainAfterItWasTaken) {
  WakeUp wake_up;
  CompletionQueue<Ticket> queue(wake_up, tickets);
  for (Ticket ticket = 1; ticket <= 3; ++ticket) {
    queue.post({Report{.ticket = ticket}});
    EXPECT_TRUE(wait_for(wake_up.descriptor(), {}));
    wake_up.take();
    EXPECT_EQ(queue.take(), (std::vector<std::vector<Ticket>>{{ticket}}));
  }
}

TEST(CompletionQueue, LosesNoSignalOfManyThreads) {
  constexpr Ticket posts_of_each = 2000;
  WakeUp wake_up;
  CompletionQueue<Ticket> queue(wake_up, tickets);
  const auto post = [&] {
    for (Ticket ticket = 0; ticket < posts_of_each; ++ticket) queue.post({Report{.ticket = ticket}});
  };
  const std::jthread one(post);
  const std::jthread another(post);
  for (std::size_t count = 0; count < 2 * posts_of_each;) {
    ASSERT_TRUE(wait_for(wake_up.descriptor(), 20s));
    wake_up.take();
    count += queue.take().size();
  }
}

}  // namespace
}  // namespace makegood::engine
