// Reading is exact: a committed row is found whatever the timing, a rolled-back one never, and limits hold.
#include <algorithm>

#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<Sequence>;

}  // namespace

TEST_P(StoreSuite, ReadsOnlyWhatLiesBeyondReached) {
  const auto numbers = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3")});
  const Found found = value_of(store().look(all_beyond(numbers[0])));
  EXPECT_EQ(names(found.rows), Names({"m2", "m3"}));
  EXPECT_GE(found.looked_to, numbers[2]);
  EXPECT_FALSE(found.is_more);
}

TEST_P(StoreSuite, NeverLooksLessFarThanReached) {
  const Sequence last = enqueue(a_message("m1"));
  const Found found = value_of(store().look(all_beyond(last)));
  EXPECT_TRUE(found.rows.empty());
  EXPECT_GE(found.looked_to, last);
}

TEST_P(StoreSuite, NeverLooksFurtherThanWhatCanBeThere) {  // I1: a row that commits next lies beyond it.
  enqueue(a_message("m1"));
  const Sequence looked_to = value_of(store().look(all_beyond(0))).looked_to;
  const Sequence next = enqueue(a_message("m2"));
  EXPECT_LT(looked_to, next);
}

TEST_P(StoreSuite, TellsTheStoresTime) {
  clock().advance(90s);
  EXPECT_EQ(to_milliseconds(value_of(store().look(all_beyond(0))).now), to_milliseconds(clock().now()));
}

TEST_P(StoreSuite, ShowsATransactionsRowsWhenItCommits) {  // I1
  auto producer = begin();
  value_of(producer->enqueue(a_message("m1")));
  value_of(producer->enqueue(a_message("m2")));
  EXPECT_TRUE(log().empty());
  must(producer->commit());
  EXPECT_EQ(log(), Names({"m1", "m2"}));
}

TEST_P(StoreSuite, NeverShowsWhatWasRolledBack) {  // I2
  enqueue(a_message("m1"));
  value_of(begin()->enqueue(a_message("never")));  // The producer is gone at once, and its transaction with it.
  enqueue(a_message("m2"));
  const Found found = look_until_closed(all_beyond(0));
  EXPECT_EQ(names(found.rows), Names({"m1", "m2"}));
  EXPECT_TRUE(found.open.empty());
}

TEST_P(StoreSuite, ReadsOnBeyondARollback) {  // I1
  const Sequence first = enqueue(a_message("m1"));
  value_of(begin()->enqueue(a_message("never")));
  Sequence reached = value_of(store().look(all_beyond(first))).looked_to;
  const Sequence second = enqueue(a_message("m2"));
  EXPECT_EQ(sequences(value_of(store().look(all_beyond(reached))).rows), Numbers({second}));
}

TEST_P(StoreSuite, ARollbackFreesTheEventId) {
  value_of(begin()->enqueue(a_message("m1")));
  enqueue(a_message("m1").with_payload("\"another\""));
  EXPECT_EQ(log(), Names({"another"}));
}

TEST_P(StoreSuite, RecognisesARepeatInAProducersTransaction) {
  const Sequence first = enqueue(a_message("m1"));
  auto producer = begin();
  const Enqueued again = value_of(producer->enqueue(a_message("m1")));
  EXPECT_TRUE(again.was_there);
  EXPECT_EQ(again.sequence, first);
  EXPECT_EQ(code_of(producer->enqueue(a_message("m1").with_payload("2"))), Errc::conflict);
}

TEST_P(StoreSuite, KeepsAnOpenNumberUntilItsRowAppears) {  // I1
  if (!numbers_may_stay_open()) GTEST_SKIP() << no_open_numbers;
  auto slow = begin();
  const Sequence late = value_of(slow->enqueue(a_message("late"))).sequence;
  const Sequence early = enqueue(a_message("early"));
  ASSERT_LT(late, early);

  const Found before = value_of(store().look(all_beyond(0)));
  EXPECT_EQ(names(before.rows), Names({"early"}));
  EXPECT_EQ(before.open, NumberSet({late}));

  must(slow->commit());
  const Found after = value_of(store().look(late_and_beyond(before.looked_to, before.open)));
  EXPECT_EQ(names(after.rows), Names({"late"}));
  EXPECT_TRUE(after.open.empty());
}

TEST_P(StoreSuite, ShowsLateRowsBeforeThoseBeyond) {  // I4: its key may have a later message beyond `reached`.
  if (!numbers_may_stay_open()) GTEST_SKIP() << no_open_numbers;
  auto slow = begin();
  const Sequence late = value_of(slow->enqueue(a_message("late").with_key("k"))).sequence;
  const Sequence reached = enqueue(a_message("early"));
  must(slow->commit());
  enqueue(a_message("next").with_key("k"));
  EXPECT_EQ(names(value_of(store().look(late_and_beyond(reached, {late}))).rows), Names({"late", "next"}));
}

TEST_P(StoreSuite, ClosesANumberWhenItsTransactionIsRolledBack) {  // I2
  if (!numbers_may_stay_open()) GTEST_SKIP() << no_open_numbers;
  auto slow = begin();
  const Sequence drawn = value_of(slow->enqueue(a_message("never"))).sequence;
  const Sequence reached = enqueue(a_message("early"));
  ASSERT_EQ(value_of(store().look(late_and_beyond(reached, {drawn}))).open, NumberSet({drawn}));
  slow.reset();
  const Found found = look_until_closed(late_and_beyond(reached, {drawn}));
  EXPECT_TRUE(found.rows.empty());
  EXPECT_TRUE(found.open.empty());
  EXPECT_TRUE(found.unread.empty());
}

TEST_P(StoreSuite, LeavesOpenNumbersBeyondALimitForLater) {
  if (!numbers_may_stay_open()) GTEST_SKIP() << no_open_numbers;
  const Sequence first = enqueue(a_message("m1"));
  auto slow = begin();
  const Sequence drawn = value_of(slow->enqueue(a_message("late"))).sequence;
  enqueue(a_message("m2"));
  LookFor wanted = all_beyond(0);
  wanted.rows_max = 1;
  const Found found = value_of(store().look(wanted));
  EXPECT_EQ(found.looked_to, first);
  EXPECT_TRUE(found.open.empty()) << drawn << " lies beyond what was looked at";
}

TEST_P(StoreSuite, RefusesAnEventThatAnOpenTransactionIsEnqueueing) {
  if (!numbers_may_stay_open()) GTEST_SKIP() << no_open_numbers;
  auto slow = begin();
  const Sequence drawn = value_of(slow->enqueue(a_message("m1"))).sequence;
  const NewMessage again = a_message("m1");
  EXPECT_TRUE(is_retryable(code_of(store().enqueue({&again, 1}))));
  must(slow->commit());
  EXPECT_EQ(value_of(store().enqueue({&again, 1})).at(0).sequence, drawn);
}

TEST_P(StoreSuite, ReadsNumbersItIsAskedFor) {  // I1: holes of a former owner.
  const auto numbers = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3"), a_message("m4")});
  const Found found = value_of(store().look(all_beyond(numbers[2], {numbers[0], numbers[2]})));
  EXPECT_EQ(names(found.rows), Names({"m1", "m3", "m4"}));
  EXPECT_TRUE(found.unread.empty());
}

TEST_P(StoreSuite, ReadsManyNumbersItIsAskedFor) {
  std::vector<NewMessage> messages;
  messages.reserve(2500);
  for (int number = 0; number < 2500; ++number) messages.push_back(a_message("m" + std::to_string(number)));
  value_of(store().enqueue(messages));
  const Numbers all = sequences(value_of(store().look(all_beyond(0))).rows);
  Numbers odd;
  for (std::size_t index = 0; index < all.size(); index += 2) odd.push_back(all[index]);
  EXPECT_EQ(sequences(value_of(store().look(all_beyond(all.back(), odd))).rows), odd);
}

TEST_P(StoreSuite, ReadsNothingWhenNoRowsAreWanted) {
  const Sequence first = enqueue(a_message("m1"));
  enqueue(a_message("m2"));
  const Found found = value_of(store().look({.owner = "a", .reached = first, .numbers = {first}}));
  EXPECT_TRUE(found.rows.empty());
  EXPECT_EQ(found.looked_to, first);
  EXPECT_EQ(found.unread, Numbers({first}));
}

TEST_P(StoreSuite, StopsAtTheRowsAllowed) {  // I10
  const auto numbers = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3")});
  LookFor wanted = all_beyond(0);
  wanted.rows_max = 2;
  const Found found = value_of(store().look(wanted));
  EXPECT_EQ(names(found.rows), Names({"m1", "m2"}));
  EXPECT_EQ(found.looked_to, numbers[1]);
  EXPECT_TRUE(found.is_more);
  EXPECT_EQ(names(value_of(store().look(all_beyond(found.looked_to))).rows), Names({"m3"}));
}

TEST_P(StoreSuite, StopsAtTheBytesAllowed) {  // I10
  for (int number = 0; number < 10; ++number) {
    enqueue(a_message("m").with_event_id("").with_body(std::string(10'000, 'x')));
  }
  LookFor wanted = all_beyond(0);
  wanted.bytes_max = 35'000;
  const Found found = value_of(store().look(wanted));
  ASSERT_EQ(found.rows.size(), 3U);
  EXPECT_TRUE(found.is_more);
  EXPECT_EQ(found.looked_to, found.rows.back()->sequence);
}

TEST_P(StoreSuite, ReadsOneRowHoweverBig) {  // I1: a message bigger than the limit must not stop the lane.
  enqueue_all({a_message("big").with_body(std::string(100'000, 'x')), a_message("m2")});
  LookFor wanted = all_beyond(0);
  wanted.bytes_max = 10;
  const Found found = value_of(store().look(wanted));
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0]->content.size(), 100'000U);
  EXPECT_TRUE(found.is_more);
}

TEST_P(StoreSuite, NamesTheNumbersItHadNoRoomFor) {  // I1, I10
  const auto numbers = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3"), a_message("m4")});
  LookFor wanted = all_beyond(numbers[2], {numbers[0], numbers[1], numbers[2]});
  wanted.rows_max = 2;
  const Found found = value_of(store().look(wanted));
  EXPECT_EQ(names(found.rows), Names({"m1", "m2"}));
  EXPECT_EQ(found.unread, Numbers({numbers[2]}));
  EXPECT_EQ(found.looked_to, numbers[2]) << "while numbers are unread, nothing beyond is read";
  EXPECT_TRUE(found.is_more);
}

TEST_P(StoreSuite, ReadsNothingBeyondANumberItHadNoRoomFor) {  // I4: not even a smaller row that would still fit.
  const auto numbers =
      enqueue_all({a_message("m1"), a_message("m2").with_body(std::string(50'000, 'x')), a_message("m3")});
  LookFor wanted = all_beyond(numbers[1], {numbers[0], numbers[1]});
  wanted.bytes_max = 20'000;
  const Found found = value_of(store().look(wanted));
  EXPECT_EQ(names(found.rows), Names({"m1"}));
  EXPECT_EQ(found.unread, Numbers({numbers[1]}));
  EXPECT_EQ(found.looked_to, numbers[1]);
}

TEST_P(StoreSuite, CountsTheBytesOfNumbersToo) {  // I10
  Numbers numbers;
  for (int number = 0; number < 5; ++number) {
    numbers.push_back(enqueue(a_message("m").with_event_id("").with_body(std::string(10'000, 'x'))));
  }
  LookFor wanted = all_beyond(numbers.back(), numbers);
  wanted.bytes_max = 25'000;
  const Found found = value_of(store().look(wanted));
  EXPECT_EQ(sequences(found.rows), Numbers({numbers[0], numbers[1]}));
  EXPECT_EQ(found.unread, Numbers({numbers[2], numbers[3], numbers[4]}));
}

TEST_P(StoreSuite, TheLimitCountsNumbersAndRowsBeyondTogether) {  // I10
  const auto numbers = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3"), a_message("m4")});
  LookFor wanted = all_beyond(numbers[1], {numbers[0]});
  wanted.rows_max = 2;
  const Found found = value_of(store().look(wanted));
  EXPECT_EQ(names(found.rows), Names({"m1", "m3"}));
  EXPECT_EQ(found.looked_to, numbers[2]);
  EXPECT_TRUE(found.unread.empty());
}

TEST_P(StoreSuite, ANumberIsReadOpenOrUnreadButNeverTwo) {
  if (!numbers_may_stay_open()) GTEST_SKIP() << no_open_numbers;
  const auto numbers = enqueue_all({a_message("m1"), a_message("m2")});
  auto slow = begin();
  const Sequence drawn = value_of(slow->enqueue(a_message("late"))).sequence;
  const Sequence last = enqueue(a_message("m3"));
  LookFor wanted = all_beyond(last, {numbers[0], numbers[1]});
  wanted.open = {drawn};
  wanted.rows_max = 1;
  const Found found = value_of(store().look(wanted));
  EXPECT_EQ(sequences(found.rows), Numbers({numbers[0]}));
  EXPECT_EQ(found.open, NumberSet({drawn}));
  EXPECT_EQ(found.unread, Numbers({numbers[1]}));
}

}  // namespace makegood::conformance
