// The main lane reads past what side lanes carry: nothing that it carries is left out, and a look stays bounded.
#include <algorithm>

#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<Sequence>;

/// Everything goes to fn:a, but what is paid goes to fn:b as well; a side lane carries what acme has at fn:a.
Filter without_acme() {
  return {.routes = {{"*", "fn:a"}, {"*.paid", "fn:b"}}, .elsewhere = {{.destination = "fn:a", .tenant_id = "acme"}}};
}

LookFor filtered(Sequence reached = 0, std::vector<Sequence> numbers = {}) {
  LookFor wanted = all_beyond(reached, std::move(numbers));
  wanted.filter = without_acme();
  return wanted;
}

}  // namespace

TEST_P(StoreSuite, PassesWhatTheFilterDoesNotWant) {
  enqueue_all({of_acme("a1"), a_message("m1"), of_acme("a2"), of_acme("paid").with_topic("order.paid"), a_message("m2"),
               of_acme("a3")});
  const Found found = value_of(store().look(filtered()));
  EXPECT_EQ(names(found.rows), Names({"m1", "paid", "m2"}));
  EXPECT_EQ(found.looked_to, found.counter) << "what is behind the last one was looked at as well";
  EXPECT_FALSE(found.is_more);
}

TEST_P(StoreSuite, AFilterThatWantsNothingLooksAtEverything) {
  enqueue_all({of_acme("a1"), of_acme("a2"), of_acme("a3")});
  const Found found = value_of(store().look(filtered()));
  EXPECT_TRUE(found.rows.empty());
  EXPECT_EQ(found.looked_to, found.counter);
  EXPECT_FALSE(found.is_more);
}

TEST_P(StoreSuite, AFilterOnAnEmptyLogIsFine) {
  const Found found = value_of(store().look(filtered()));
  EXPECT_TRUE(found.rows.empty());
  EXPECT_EQ(found.looked_to, 0);
  EXPECT_FALSE(found.is_more);
}

TEST_P(StoreSuite, AFilterSeesTopicTenantKeyAndPriority) {
  enqueue_all({a_message("key").with_key("k"), a_message("other key").with_key("l"), a_message("low").with_priority(-1),
               a_message("low with a key").with_key("l").with_priority(-1), a_message("plain"),
               a_message("tenant").of_tenant("acme"), a_message("topic").with_topic("nowhere")});
  LookFor wanted = all_beyond(0);
  wanted.filter = Filter{.routes = {{"orders.*", "fn:a"}},
                         .elsewhere = {{.destination = "fn:a", .tenant_id = "acme"},
                                       {.destination = "fn:a", .tenant_id = "default", .dispatch_key = "k"},
                                       {.destination = "fn:a", .priority = -1}}};
  EXPECT_EQ(names(value_of(store().look(wanted)).rows), Names({"other key", "low with a key", "plain", "topic"}));
}

TEST_P(StoreSuite, AFilterLeadsNothingToAnotherTenantsDestination) {
  const auto n = enqueue_all({of_acme("ours"), a_message("theirs"), of_acme("ours, too")});
  const Filter of_a{.routes = {{"*", "fn:a"}}, .tenants = {{"fn:a", "acme"}}, .scope = Scope{.destination = "fn:a"}};
  LookFor main = all_beyond(0);
  const LookFor::Side side{.until = n[2], .rows_max = 10, .bytes_max = 10'000, .passed_max = 10, .filter = of_a};
  const LookFor aside{.owner = "a", .reached = n[2], .sides = {side}};
  EXPECT_EQ(names(value_of(store().look(aside)).sides.at(0).rows), Names({"ours", "ours, too"}));
  main.filter = Filter{.routes = of_a.routes, .tenants = of_a.tenants, .elsewhere = {{.destination = "fn:a"}}};
  EXPECT_EQ(names(value_of(store().look(main)).rows), Names({"theirs"})) << "it has no route";
}

TEST_P(StoreSuite, ReadsNumbersWhateverTheFilterSays) {  // I1: an open number that appears may be a side lane's.
  const auto n = enqueue_all({of_acme("a1"), a_message("m1"), of_acme("a2"), a_message("m2")});
  const Found found = value_of(store().look(filtered(n[1], {n[0], n[1]})));
  EXPECT_EQ(names(found.rows), Names({"a1", "m1", "m2"}));
}

TEST_P(StoreSuite, PassesNoMoreRowsThanAllowed) {  // I10
  const auto n = enqueue_all({of_acme("a1"), of_acme("a2"), of_acme("a3"), a_message("m1")});
  LookFor wanted = filtered();
  wanted.passed_max = 2;
  const Found first = value_of(store().look(wanted));
  EXPECT_TRUE(first.rows.empty());
  EXPECT_EQ(first.looked_to, n[1]);
  EXPECT_TRUE(first.is_more);
  wanted.reached = first.looked_to;
  EXPECT_EQ(names(value_of(store().look(wanted)).rows), Names({"m1"}));
}

TEST_P(StoreSuite, PassingExactlyWhatIsAllowedIsNotCutShort) {
  enqueue_all({of_acme("a1"), a_message("m1"), of_acme("a2")});
  LookFor wanted = filtered();
  wanted.passed_max = 2;
  const Found found = value_of(store().look(wanted));
  EXPECT_EQ(names(found.rows), Names({"m1"}));
  EXPECT_EQ(found.looked_to, found.counter);
  EXPECT_FALSE(found.is_more);
}

TEST_P(StoreSuite, WithoutAFilterNothingIsPassed) {
  enqueue_all({of_acme("a1"), of_acme("a2"), of_acme("a3")});
  LookFor wanted = all_beyond(0);
  wanted.passed_max = 1;
  EXPECT_EQ(value_of(store().look(wanted)).rows.size(), 3U);
}

TEST_P(StoreSuite, WhatIsPassedTakesNoRoom) {
  const auto n = enqueue_all({of_acme("a1"), a_message("m1"), of_acme("a2"), a_message("m2"), a_message("m3")});
  LookFor wanted = filtered();
  wanted.rows_max = 2;
  const Found found = value_of(store().look(wanted));
  EXPECT_EQ(names(found.rows), Names({"m1", "m2"}));
  EXPECT_EQ(found.looked_to, n[3]);
  EXPECT_TRUE(found.is_more);
}

TEST_P(StoreSuite, StopsBeforeTheWantedRowThatDoesNotFit) {  // I1, I10: and has looked at what was passed before it.
  const auto n = enqueue_all(
      {a_message("m1"), of_acme("a1"), a_message("m2").with_body(std::string(50'000, 'x')), a_message("m3")});
  LookFor wanted = filtered();
  wanted.bytes_max = 20'000;
  const Found found = value_of(store().look(wanted));
  EXPECT_EQ(names(found.rows), Names({"m1"}));
  EXPECT_EQ(found.looked_to, n[1]);
  EXPECT_TRUE(found.is_more);
}

TEST_P(StoreSuite, AFilterReadsOneRowHoweverBig) {  // I1
  enqueue_all({of_acme("a1"), a_message("big").with_body(std::string(100'000, 'x')), a_message("m2")});
  LookFor wanted = filtered();
  wanted.bytes_max = 10;
  EXPECT_EQ(value_of(store().look(wanted)).rows.size(), 1U);
}

TEST_P(StoreSuite, AFilterReadsNothingBeyondANumberItHadNoRoomFor) {  // I4
  const auto n = enqueue_all({a_message("m1"), a_message("m2"), a_message("m3")});
  LookFor wanted = filtered(n[1], {n[0], n[1]});
  wanted.rows_max = 1;
  const Found found = value_of(store().look(wanted));
  EXPECT_EQ(names(found.rows), Names({"m1"}));
  EXPECT_EQ(found.unread, Numbers({n[1]}));
  EXPECT_EQ(found.looked_to, n[1]);
}

TEST_P(StoreSuite, AFilteredLookListsOpenNumbersUpToWhereItLooked) {  // I1
  if (!numbers_may_stay_open()) GTEST_SKIP() << no_open_numbers;
  const Sequence first = enqueue(of_acme("a1"));
  auto slow = begin();
  const Sequence drawn = value_of(slow->enqueue(a_message("late"))).sequence;
  enqueue(of_acme("a2"));
  LookFor wanted = filtered();
  wanted.passed_max = 1;
  const Found cut = value_of(store().look(wanted));
  EXPECT_EQ(cut.looked_to, first);
  EXPECT_TRUE(cut.open.empty());
  EXPECT_EQ(value_of(store().look(filtered())).open, NumberSet({drawn}));
}

TEST_P(StoreSuite, LookByLookAFilterFindsEachRowOnce) {  // I1, I10: in runs short and long, wanted and not.
  std::vector<NewMessage> messages;
  Names expected;
  for (int number = 0; number < 600; ++number) {
    const std::string name = "m" + std::to_string(number);
    const bool is_theirs = number < 200 ? number % 2 == 0 : number < 400 ? number % 37 != 0 : number % 37 == 0;
    messages.push_back(is_theirs ? of_acme(name) : a_message(name));
    if (!is_theirs) expected.push_back(name);
  }
  const Sequence last = value_of(store().enqueue(messages)).back().sequence;
  LookFor wanted = filtered();
  wanted.rows_max = 23;
  wanted.passed_max = 29;
  Names seen;
  for (int look = 0; look < 100 && wanted.reached < last; ++look) {
    const Found found = value_of(store().look(wanted));
    EXPECT_LE(found.rows.size(), wanted.rows_max);
    EXPECT_LE(found.looked_to - wanted.reached, 23 + 29);
    std::ranges::copy(names(found.rows), std::back_inserter(seen));
    wanted.reached = found.looked_to;
  }
  EXPECT_EQ(wanted.reached, last);
  EXPECT_EQ(seen, expected);
}

}  // namespace makegood::conformance
