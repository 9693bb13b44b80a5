// Dead letters as operators search, count and group them.
#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {
namespace {

using Keys = std::vector<std::string>;

/// `3 fn:a`, for each.
Keys keys_of(const std::vector<DeadLetter>& letters) {
  Keys keys;
  for (const DeadLetter& letter : letters) {
    keys.push_back(std::to_string(letter.parked.sequence) + " " + letter.parked.destination);
  }
  return keys;
}

Keys dead_by(OutboxView& view, const DeadFilter& filter) {
  const auto letters = value_of(view.list_dead(filter, {}, 100));
  EXPECT_EQ(value_of(view.count_dead(filter)), letters.size());
  return keys_of(letters);
}

ParkedBuilder a_dead(Sequence sequence, const std::string& code, const std::string& destination = "fn:a") {
  return a_parked(sequence, destination).dead().with_error(code, code + " at " + std::to_string(sequence));
}

}  // namespace

TEST_P(StoreSuite, SearchesDeadLettersByEachFieldAndByAllTogether) {
  enqueue_all(
      {of_acme("m1"), of_acme("m2").with_topic("stock.low"), a_message("m3"), a_message("m4"), a_message("m5")});
  LaneOwner owner = take();
  const Position through{.reached = 5};
  const TimePoint start = clock().now();
  owner.commit({.position = through,
                .parked = {a_dead(1, "E1").of_tenant("acme"), a_dead(1, "E2", "fn:b").of_tenant("acme"),
                           a_dead(2, "E1").of_tenant("acme"), a_parked(4).held()}});
  clock().advance(1min);
  owner.commit({.position = through, .parked = {a_dead(3, "E1").quarantined(), a_parked(5).done()}});
  const auto view = this->view();
  EXPECT_EQ(dead_by(*view, {}), Keys({"1 fn:a", "1 fn:b", "2 fn:a", "3 fn:a"}));
  EXPECT_EQ(dead_by(*view, {.tenant_id = "acme"}), Keys({"1 fn:a", "1 fn:b", "2 fn:a"}));
  EXPECT_EQ(dead_by(*view, {.tenant_id = "default"}), Keys({"3 fn:a"})) << "a tenant never sees another's";
  EXPECT_EQ(dead_by(*view, {.topic = "stock.*"}), Keys({"2 fn:a"}));
  EXPECT_EQ(dead_by(*view, {.topic = "*"}).size(), 4U);
  EXPECT_EQ(dead_by(*view, {.destination = "fn:b"}), Keys({"1 fn:b"}));
  EXPECT_EQ(dead_by(*view, {.error_code = "E1"}), Keys({"1 fn:a", "2 fn:a", "3 fn:a"}));
  EXPECT_EQ(dead_by(*view, {.state = ParkedState::dead}), Keys({"1 fn:a", "1 fn:b", "2 fn:a"}));
  EXPECT_EQ(dead_by(*view, {.state = ParkedState::quarantined}), Keys({"3 fn:a"}));
  EXPECT_TRUE(dead_by(*view, {.state = ParkedState::held}).empty()) << "it is no dead letter";
  EXPECT_EQ(dead_by(*view, {.changed_from = start + 1min}), Keys({"3 fn:a"})) << "this moment included";
  EXPECT_EQ(dead_by(*view, {.changed_until = start + 1min}), Keys({"1 fn:a", "1 fn:b", "2 fn:a"}));
  EXPECT_EQ(dead_by(*view, {.changed_from = start + 1us, .changed_until = start + 1min}), Keys());
  EXPECT_EQ(dead_by(*view, {.tenant_id = "acme",
                            .topic = "orders.*",
                            .destination = "fn:a",
                            .error_code = "E1",
                            .state = ParkedState::dead,
                            .changed_from = start,
                            .changed_until = start + 1s}),
            Keys({"1 fn:a"}));
}

TEST_P(StoreSuite, PagesOfDeadLettersGoOnBetweenTwoDestinations) {
  enqueue_all({a_message("m1"), a_message("m2")});
  take().commit(
      {.position = {.reached = 2}, .parked = {a_dead(1, "E", "fn:a"), a_dead(1, "E", "fn:b"), a_dead(2, "E")}});
  const auto view = this->view();
  EXPECT_EQ(keys_of(value_of(view->list_dead({}, {}, 1))), Keys({"1 fn:a"}));
  EXPECT_EQ(keys_of(value_of(view->list_dead({}, {.sequence = 1, .destination = "fn:a"}, 1))), Keys({"1 fn:b"}));
  EXPECT_EQ(keys_of(value_of(view->list_dead({}, {.sequence = 1, .destination = "fn:b"}, 9))), Keys({"2 fn:a"}));
  EXPECT_TRUE(value_of(view->list_dead({}, {.sequence = 2, .destination = "fn:a"}, 9)).empty());
  EXPECT_TRUE(value_of(view->list_dead({}, {}, 0)).empty());
}

TEST_P(StoreSuite, AListedDeadLetterIsTheWholeOne) {
  const Sequence sequence = enqueue(of_acme("m1").with_key("k"));
  take("a").commit({.position = {.reached = sequence},
                    .parked = {a_dead(sequence, "E1")
                                   .of_tenant("acme")
                                   .with_key("k")
                                   .after_attempts(3)
                                   .noting({.attempt = 3,
                                            .at = clock().now(),
                                            .outcome = "fail",
                                            .code = "E1",
                                            .error = "say",
                                            .owner = "a"})}});
  const DeadLetter letter = value_of(view()->list_dead({}, {}, 1)).at(0);
  EXPECT_EQ(letter.topic, "orders.placed");
  EXPECT_EQ(letter.event_id, event_id_for("m1"));
  EXPECT_EQ(letter.changed_at, clock().now());
  EXPECT_EQ(letter.parked.attempts, 3U);
  EXPECT_EQ(letter.parked.last_error, "E1 at 1");
  const std::string at = std::to_string(to_milliseconds(clock().now()));
  EXPECT_EQ(letter.story,
            R"([{"attempt":3,"at":)" + at + R"(,"outcome":"fail","code":"E1","error":"say","owner":"a"}])");
}

TEST_P(StoreSuite, GroupsDeadLettersTheLargestFirst) {
  enqueue_all({a_message("m1"), a_message("m2"), a_message("m3").with_topic("stock.low"), a_message("m4")});
  LaneOwner owner = take();
  const Position through{.reached = 4};
  const TimePoint start = clock().now();
  owner.commit({.position = through, .parked = {a_dead(1, "E1"), a_dead(3, "E1"), a_dead(2, "E2", "fn:b")}});
  clock().advance(1min);
  owner.commit({.position = through, .parked = {a_dead(4, "E1"), a_parked(2).held()}});
  const auto view = this->view();
  const auto groups = value_of(view->group_dead({}, 10));
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].topic, "orders.placed");
  EXPECT_EQ(groups[0].destination, "fn:a");
  EXPECT_EQ(groups[0].error_code, "E1");
  EXPECT_EQ(groups[0].count, 2U);
  EXPECT_EQ(groups[0].first_at, start);
  EXPECT_EQ(groups[0].last_at, start + 1min);
  EXPECT_EQ(groups[0].example, 4);
  EXPECT_EQ(groups[0].example_error, "E1 at 4");
  EXPECT_EQ(groups[1].destination, "fn:b") << "those of one size by topic, destination and code";
  EXPECT_EQ(groups[2].topic, "stock.low");
  EXPECT_EQ(value_of(view->group_dead({}, 1)).size(), 1U);
  EXPECT_TRUE(value_of(view->group_dead({}, 0)).empty());
  EXPECT_EQ(value_of(view->group_dead({.topic = "stock.*"}, 10)).size(), 1U);
  EXPECT_TRUE(value_of(view->group_dead({.tenant_id = "acme"}, 10)).empty());
}

TEST_P(StoreSuite, OddTextsInFiltersOfDeadLettersAreOnlyText) {
  const std::vector<std::string> texts = {"o'rder", "100%", "a_b", "\xC3\xA4", "[a]", "axb", "\" OR 1=1 --"};
  std::vector<Turn::Change> parked;
  for (const std::string& text : texts) {
    const Sequence sequence = enqueue(a_message(text).with_payload("1").of_tenant(text).with_topic("t" + text));
    parked.push_back(a_dead(sequence, "c" + text, "fn:" + text).of_tenant(text));
  }
  take().commit({.position = {.reached = static_cast<Sequence>(texts.size())}, .parked = parked});
  const auto view = this->view();
  for (const std::string& text : texts) {
    EXPECT_EQ(dead_by(*view, {.tenant_id = text}).size(), 1U) << text;
    EXPECT_EQ(dead_by(*view, {.topic = "t" + text}).size(), 1U) << text;
    EXPECT_EQ(dead_by(*view, {.destination = "fn:" + text}).size(), 1U) << text;
    EXPECT_EQ(dead_by(*view, {.error_code = "c" + text}).size(), 1U) << text;
  }
  EXPECT_TRUE(dead_by(*view, {.tenant_id = "%"}).empty());
  EXPECT_TRUE(dead_by(*view, {.error_code = "c\n"}).empty());
}

}  // namespace makegood::conformance
