// What is kept of an execution, and how it is found again.
#include "tests/conformance/saga_suite.hpp"

namespace makegood::conformance {

TEST_P(SagaSuite, LoadsAJournalInTheOrderOfItsRevisions) {
  const Sequence first = start(a_start("o1"));
  const Sequence second = start(a_start("o2"));
  take();
  for (std::int64_t revision = 1; revision <= 12; ++revision) {
    SagaTurn turn = next_turn(second);
    turn.journal = {{.execution = second, .revision = revision, .records = "s" + std::to_string(revision)},
                    {.execution = first, .revision = revision, .records = "f" + std::to_string(revision)}};
    commit(turn);
  }
  const auto loaded = load(first);
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->journal.size(), 12U);
  for (std::int64_t revision = 1; revision <= 12; ++revision) {
    const JournalRow& row = loaded->journal[static_cast<std::size_t>(revision - 1)];
    EXPECT_EQ(row.revision, revision);
    EXPECT_EQ(row.records, "f" + std::to_string(revision));
  }
}

TEST_P(SagaSuite, KeepsJournalsByteForByte) {
  const Sequence execution = start(a_start("o1"));
  take();
  const std::string bytes("\0\xff\n'\\\"\xc3\x28", 8);
  SagaTurn turn = next_turn(execution);
  turn.journal = {{.execution = execution, .revision = 1, .records = bytes},
                  {.execution = execution, .revision = 2, .records = ""},
                  {.execution = execution, .revision = 3, .records = std::string(300'000, 'x')}};
  commit(turn);
  const auto loaded = load(execution);
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->journal.size(), 3U);
  EXPECT_EQ(loaded->journal[0].records, bytes);
  EXPECT_EQ(loaded->journal[1].records, "");
  EXPECT_EQ(loaded->journal[2].records.size(), 300'000U);
}

TEST_P(SagaSuite, LoadsInTheOrderAskedForAndLeavesOutWhatIsGone) {
  const Sequence first = start(a_start("o1"));
  const Sequence request = start(a_request("makegood.saga.cancel", "{}"));
  const Sequence second = start(a_start("o2"));
  const std::vector<Sequence> wanted = {second, 999, request, first};
  const auto loaded = value_of(store().load(wanted));
  ASSERT_EQ(loaded.size(), 2U);
  EXPECT_EQ(loaded[0].start->sequence, second);
  EXPECT_EQ(loaded[1].start->event_id, "o1");
  EXPECT_TRUE(value_of(store().load({})).empty());
}

TEST_P(SagaSuite, LoadsAStartAsItWasGiven) {
  NewMessage given = a_start("o1", "order", "{\"total\": 10 }");
  given.tenant_id = "acme";
  given.dispatch_key = "customer-7";
  given.headers = {{"origin", "shop"}};
  const auto loaded = load(start(given));
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->start->topic, "order");
  EXPECT_EQ(loaded->start->content, "{\"total\": 10 }");
  EXPECT_EQ(loaded->start->tenant_id, "acme");
  EXPECT_EQ(loaded->start->dispatch_key, "customer-7");
  EXPECT_EQ(loaded->start->headers, "{\"origin\":\"shop\"}");
}

TEST_P(SagaSuite, FindsAStartByTenantAndId) {
  NewMessage of_acme = a_start("o1");
  of_acme.tenant_id = "acme";
  const Sequence first = start(a_start("o1"));
  const Sequence second = start(of_acme);
  EXPECT_EQ(value_of(store().find("default", "o1")), first);
  EXPECT_EQ(value_of(store().find("acme", "o1")), second);
  EXPECT_EQ(value_of(view().find("acme", "o1")), second);
  EXPECT_EQ(value_of(store().find("acme", "o2")), std::nullopt);
  EXPECT_EQ(value_of(store().find("acme", std::string("o\0", 2))), std::nullopt);
}

TEST_P(SagaSuite, ARequestIsNoStart) {
  NewMessage request = a_request("makegood.saga.cancel", "{}");
  request.event_id = "r1";
  start(request);
  EXPECT_EQ(value_of(store().find("default", "r1")), std::nullopt);
  EXPECT_TRUE(value_of(store().unfinished(1, 100, 10)).empty());
  EXPECT_TRUE(listed({}).empty());
}

TEST_P(SagaSuite, TellsWhatHasNeitherEndedNorIsParked) {
  std::vector<Sequence> numbers;
  for (int i = 0; i < 6; ++i) numbers.push_back(start(a_start("o" + std::to_string(i))));
  take();
  SagaTurn turn = next_turn(numbers[5]);
  turn.ends = {an_end(numbers[1])};
  turn.parked = {a_parked_saga(numbers[3], {}, "o3")};
  commit(turn);
  EXPECT_EQ(value_of(store().unfinished(1, numbers[5], 10)),
            std::vector<Sequence>({numbers[0], numbers[2], numbers[4], numbers[5]}));
  EXPECT_EQ(value_of(store().unfinished(numbers[1], numbers[4], 10)), std::vector<Sequence>({numbers[2], numbers[4]}));
  EXPECT_EQ(value_of(store().unfinished(1, numbers[5], 2)), std::vector<Sequence>({numbers[0], numbers[2]}));
  EXPECT_TRUE(value_of(store().unfinished(5, 2, 10)).empty());
}

TEST_P(SagaSuite, TellsWhatIsDueTheEarliestFirst) {
  const Sequence late = start(a_start("o1"));
  const Sequence early = start(a_start("o2"));
  const Sequence open = start(a_start("o3"));
  take();
  EXPECT_EQ(value_of(store().next_due()), std::nullopt);
  const TimePoint now = clock().now();
  SagaTurn turn = next_turn(open);
  turn.parked = {a_parked_saga(late, now + 2s), a_parked_saga(early, now + 1s, "o2"), a_parked_saga(open, {}, "o3")};
  commit(turn);
  EXPECT_EQ(value_of(store().next_due()), now + 1s);
  EXPECT_TRUE(value_of(store().due(now, 10)).empty());
  EXPECT_EQ(value_of(store().due(now + 1s, 10)), std::vector<Sequence>({early}));
  EXPECT_EQ(value_of(store().due(now + 9s, 10)), std::vector<Sequence>({early, late}));
  EXPECT_EQ(value_of(store().due(now + 9s, 1)), std::vector<Sequence>({early}));
}

TEST_P(SagaSuite, ParksInThePlaceOfWhatWasParked) {
  const Sequence execution = start(a_start("o1"));
  take();
  SagaTurn turn = next_turn(execution);
  turn.parked = {a_parked_saga(execution, clock().now() + 1s)};
  commit(turn);

  SagaTurn again = next_turn(execution);
  SagaParked manual = a_parked_saga(execution, {});
  manual.summary.state = SagaState::manual;
  manual.summary.waits_for = "";
  again.unparked = {execution};
  again.parked = {manual};
  commit(again);
  const auto parked = value_of(view().parked(execution));
  ASSERT_TRUE(parked);
  EXPECT_EQ(parked->summary.state, SagaState::manual);
  EXPECT_EQ(parked->summary.error, "the card was declined");
  EXPECT_EQ(parked->due_at, std::nullopt);
  EXPECT_EQ(value_of(store().next_due()), std::nullopt);

  SagaTurn last = next_turn(execution);
  last.unparked = {execution, 999};
  commit(last);
  EXPECT_EQ(value_of(view().parked(execution)), std::nullopt);
  EXPECT_EQ(value_of(store().unfinished(1, execution, 10)), std::vector<Sequence>({execution}));
}

TEST_P(SagaSuite, AnExecutionThatIsReopenedCanEndAgain) {
  const Sequence execution = start(a_start("o1"));
  take();
  SagaTurn failed = next_turn(execution);
  failed.ends = {an_end(execution, SagaState::failed)};
  failed.ends[0].open = "[\"charge\"]";
  commit(failed);
  EXPECT_EQ(load(execution)->end->open, "[\"charge\"]");

  SagaTurn reopened = next_turn(execution);
  reopened.reopened = {execution};
  commit(reopened);
  EXPECT_FALSE(load(execution)->end);
  EXPECT_EQ(value_of(store().unfinished(1, execution, 10)), std::vector<Sequence>({execution}));

  SagaTurn ended = next_turn(execution);
  ended.ends = {an_end(execution, SagaState::failed)};
  commit(ended);
  SagaTurn at_once = next_turn(execution);
  at_once.reopened = {execution};
  at_once.ends = {an_end(execution, SagaState::compensated)};
  commit(at_once);
  EXPECT_EQ(load(execution)->end->summary.state, SagaState::compensated);
}

TEST_P(SagaSuite, TellsOperatorsWhatTheOwnerKnows) {
  const Sequence execution = start(a_start("o1"));
  take();
  SagaTurn turn = next_turn(execution);
  turn.journal = {{.execution = execution, .revision = 1, .records = "[1]"}};
  turn.ends = {an_end(execution, SagaState::compensated)};
  commit(turn);
  const auto loaded = value_of(view().load(execution));
  ASSERT_TRUE(loaded && loaded->end);
  EXPECT_EQ(loaded->start->event_id, "o1");
  EXPECT_EQ(loaded->journal.size(), 1U);
  EXPECT_EQ(loaded->end->summary.version, 1);
  EXPECT_EQ(loaded->end->summary.code, "DECLINED");
  EXPECT_EQ(loaded->end->revision, 1);
  EXPECT_EQ(value_of(view().load(999)), std::nullopt);
}

}  // namespace makegood::conformance
