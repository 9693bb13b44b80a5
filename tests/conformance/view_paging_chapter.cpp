// Pages of messages: everything once, newest first, each for a bounded amount of reading.
#include "base/view_filter.hpp"
#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

using Numbers = std::vector<Sequence>;

/// All pages; `between` is called after each.
template <class Between>
Numbers all_pages(OutboxView& view, const MessageFilter& filter, std::size_t rows_max, Between between) {
  Numbers numbers;
  std::optional<Sequence> before;
  for (int pages = 0; pages < 1000; ++pages) {
    const MessagePage page = value_of(view.list(filter, before, rows_max));
    EXPECT_LE(page.messages.size(), rows_max);
    for (const MessageSummary& summary : page.messages) numbers.push_back(summary.sequence);
    if (!page.next) return numbers;
    before = page.next;
    between();
  }
  throw std::runtime_error("the pages do not end");
}

Numbers all_pages(OutboxView& view, const MessageFilter& filter, std::size_t rows_max) {
  return all_pages(view, filter, rows_max, [] {});
}

}  // namespace

TEST_P(StoreSuite, PagesShowEachMessageOnceWhileOthersAreEnqueued) {
  Numbers expected;
  for (int i = 0; i < 25; ++i) expected.insert(expected.begin(), enqueue(a_message("m" + std::to_string(i))));
  int late = 0;
  const auto view = this->view();
  EXPECT_EQ(all_pages(*view, {}, 4, [&] { enqueue(a_message("late" + std::to_string(late++))); }), expected);
  EXPECT_GT(late, 0);
}

TEST_P(StoreSuite, PagesOfWhatIsParkedShowEachMessageOnce) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3"), a_message("m4"), a_message("m5")});
  take().commit({.position = {.reached = n[3]},
                 .parked = {a_parked(n[0], "fn:a").dead(), a_parked(n[0], "fn:b").dead(), a_parked(n[1]).held(),
                            a_parked(n[2]).dead(), a_parked(n[3]).waiting_until(clock().now())}});
  const auto view = this->view();
  for (const std::size_t rows_max : {1U, 2U, 3U, 10U}) {
    EXPECT_EQ(all_pages(*view, {.state = MessageState::dead}, rows_max), Numbers({n[2], n[0]}));
    EXPECT_EQ(all_pages(*view, {.state = MessageState::pending}, rows_max), Numbers({n[4], n[3], n[1]}));
  }
}

TEST_P(StoreSuite, TheLastPageSaysSo) {
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3")});
  const auto view = this->view();
  const MessagePage first = value_of(view->list({}, {}, 2));
  EXPECT_EQ(first.next, n[1]);
  EXPECT_FALSE(value_of(view->list({}, first.next, 2)).next);
  EXPECT_FALSE(value_of(view->list({}, {}, 3)).next);
}

TEST_P(StoreSuite, APageWithoutRoomShowsNothingAndIsNotTheLast) {
  const Sequence sequence = enqueue(a_message("m1"));
  const auto view = this->view();
  const MessagePage page = value_of(view->list({}, {}, 0));
  EXPECT_TRUE(page.messages.empty());
  ASSERT_TRUE(page.next);
  EXPECT_EQ(value_of(view->list({}, page.next, 10)).messages.at(0).sequence, sequence);
}

TEST_P(StoreSuite, APageLooksAtABoundedNumberOfMessages) {  // I10
  const Sequence rare = enqueue(a_message("rare").with_topic("rare"));
  for (std::size_t i = 0; i < looked_max + 10;) {
    std::vector<NewMessage> batch;
    for (std::size_t end = i + 100; i < end; ++i) batch.push_back(a_message("m" + std::to_string(i)));
    value_of(store().enqueue(batch));
  }
  const auto view = this->view();
  const MessagePage first = value_of(view->list({.topic = "rare"}, {}, 10));
  EXPECT_TRUE(first.messages.empty());
  ASSERT_TRUE(first.next);
  const MessagePage second = value_of(view->list({.topic = "rare"}, first.next, 10));
  ASSERT_EQ(second.messages.size(), 1U);
  EXPECT_EQ(second.messages[0].sequence, rare);
  EXPECT_FALSE(second.next);
}

TEST_P(StoreSuite, AViewSeesWhatWasCommittedSinceItsLastAnswer) {
  const auto view = this->view();
  EXPECT_TRUE(value_of(view->list({}, {}, 10)).messages.empty());
  const Sequence first = enqueue(a_message("m1"));
  EXPECT_EQ(value_of(view->list({}, {}, 10)).messages.at(0).sequence, first);
  auto producer = begin();
  value_of(producer->enqueue(a_message("m2")));
  EXPECT_EQ(value_of(view->list({}, {}, 10)).messages.size(), 1U) << "not before its commit, and without waiting";
  must(producer->commit());
  EXPECT_EQ(value_of(view->list({}, {}, 10)).messages.size(), 2U);
}

}  // namespace makegood::conformance
