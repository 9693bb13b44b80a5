#include <gtest/gtest.h>

#include <filesystem>

#include "api/troubles.hpp"
#include "tests/unit/api/place.hpp"

namespace makegood::api {
namespace {

using testing_support::a_message;
using testing_support::a_parked;

const TimePoint now = from_milliseconds(1767323045678);
constexpr Advice advice_here{.store_url = "sqlite:a.db"};

OutboxState owned() {
  OutboxState state{.outbox = "o"};
  state.lane.owner = "x";
  state.lane.lease_until = now + std::chrono::seconds(5);
  state.lane.counter = 100;
  state.lane.position.reached = 100;
  state.lane.routings = {{.version = 1, .routes = {{"*", "http:billing"}}}};
  return state;
}

SideLane side(SideLane::Why why, bool is_paused) {
  return {.scope = {.destination = "http:billing"}, .why = why, .is_paused = is_paused, .reached = 40};
}

Trouble only(const OutboxState& state) {
  const auto troubles = troubles_of(state, advice_here, now);
  EXPECT_EQ(troubles.size(), 1U);
  return troubles.empty() ? Trouble{.what = "none", .advice = {}} : troubles.front();
}

TEST(Troubles, AreNoneWhenAllIsWell) { EXPECT_TRUE(troubles_of(owned(), advice_here, now).empty()); }

TEST(Troubles, TellOfAnOutboxThatNobodyOwns) {
  OutboxState state = owned();
  state.lane.lease_until = now - std::chrono::seconds(5);
  EXPECT_TRUE(troubles_of(state, advice_here, now).empty()) << "nothing waits";
  state.backlog.pending_count = 7;
  const Trouble trouble = only(state);
  EXPECT_EQ(trouble.weight, Trouble::Weight::critical);
  EXPECT_EQ(trouble.count, 7U);
  EXPECT_EQ(trouble.since, state.lane.lease_until);
  EXPECT_EQ(trouble.advice, "makegood serve --store sqlite:a.db");
}

TEST(Troubles, TellOfASourceThatCannotBeReadAndWhereToLook) {
  OutboxState state = owned();
  state.sources = {{.name = "kafka:orders", .code = "SOURCE.GONE", .trouble = "It is gone.", .trouble_at = now}};
  const Trouble trouble = only(state);
  EXPECT_EQ(trouble.weight, Trouble::Weight::critical);
  EXPECT_EQ(trouble.what, "The source kafka:orders is not read: It is gone.");
  EXPECT_EQ(trouble.advice, "makegood sources show kafka:orders");
  state.sources.front().is_paused = true;
  EXPECT_TRUE(troubles_of(state, advice_here, now).empty());
}

TEST(Troubles, TellOfMessagesThatWaitForTheFirstRoute) {
  OutboxState state = owned();
  state.lane.routings = {{.version = 1}};
  state.backlog.pending_count = 7;
  state.backlog.oldest_pending_at = now - std::chrono::minutes(3);
  EXPECT_EQ(only(state).held_by, "the missing route");
  state.lane.routings.push_back({.version = 2, .routes = {{"*", "http:billing"}}});
  EXPECT_EQ(only(state).held_by, "the lane, which is behind");
}

TEST(Troubles, TellOfAnOpenCircuit) {
  OutboxState state = owned();
  state.lane.position.sides = {side(SideLane::Why::broken, false)};
  state.lane.position.failing = {{"http:billing", {.since = now - std::chrono::minutes(3), .count = 9}}};
  const Trouble trouble = only(state);
  EXPECT_EQ(trouble.what, "The circuit of http:billing is open.");
  EXPECT_EQ(trouble.since, now - std::chrono::minutes(3));
  EXPECT_EQ(trouble.count, 60U);
  EXPECT_EQ(trouble.held_by, "its circuit");
  EXPECT_EQ(trouble.advice, "makegood destinations test http:billing");
}

TEST(Troubles, TellOfADisabledDestinationAndWhy) {
  OutboxState state = owned();
  state.lane.position.sides = {side(SideLane::Why::disabled, true)};
  state.lane.position.sides[0].because = "it answered 410 Gone";
  const Trouble trouble = only(state);
  EXPECT_EQ(trouble.weight, Trouble::Weight::critical);
  EXPECT_EQ(trouble.what, "http:billing is disabled: it answered 410 Gone.");
  EXPECT_EQ(trouble.advice, "makegood destinations enable http:billing");
}

TEST(Troubles, TellOfAPausedDestinationAndOfAFailingOne) {
  OutboxState state = owned();
  state.lane.position.sides = {side(SideLane::Why::paused, true)};
  EXPECT_EQ(only(state).held_by, "an operator");
  state.lane.position.sides.clear();
  state.lane.position.failing = {{"http:billing", {.since = now, .count = 9}}};
  state.backlog.destinations = {{.destination = "http:billing", .waiting_count = 3, .held_count = 2}};
  EXPECT_EQ(only(state).count, 5U);
  EXPECT_EQ(only(state).what, "http:billing fails: no delivery to it has succeeded since.");
}

TEST(Troubles, TellWhoPausedADestinationSinceWhenAndWhy) {
  OutboxState state = owned();
  state.lane.position.sides = {side(SideLane::Why::paused, true)};
  state.lane.position.sides[0].because = "ann: moving house";
  state.lane.position.sides[0].since = now - std::chrono::minutes(2);
  state.lane.position.failing = {{"http:billing", {.since = now - std::chrono::hours(9), .count = 9}}};
  EXPECT_EQ(only(state).what, "http:billing is paused by ann: moving house.");
  EXPECT_EQ(only(state).since, now - std::chrono::minutes(2)) << "not since its first failure";
}

TEST(Troubles, TellOfATenantThatIsPaused) {
  OutboxState state = owned();
  state.lane.position.sides = {side(SideLane::Why::paused, true)};
  state.lane.position.sides[0].scope.tenant_id = "acme's";
  EXPECT_EQ(only(state).what, "http:billing is paused for tenant acme's.");
  EXPECT_EQ(only(state).advice, R"(makegood outbox resume http:billing --tenant 'acme'\''s')");
}

TEST(Troubles, BeginWithWhatTheRelaySuffersFromNow) {
  OutboxState state = owned();
  state.lane.lease_until = now - std::chrono::seconds(5);
  state.backlog.pending_count = 7;
  state.alarms = {{.outbox = "o",
                   .error = {Errc::store_full, "The disk is full; make room."},
                   .since = now - std::chrono::seconds(9),
                   .stops_lane = true}};
  const Trouble trouble = only(state);  // And not that nobody owns it: its relay runs, and says why it cannot.
  EXPECT_EQ(trouble.weight, Trouble::Weight::critical);
  EXPECT_EQ(trouble.code, "STORAGE.FULL");
  EXPECT_EQ(trouble.what, "The disk is full; make room.");
  EXPECT_EQ(trouble.since, now - std::chrono::seconds(9));
  EXPECT_EQ(trouble.count, 7U);
  EXPECT_EQ(trouble.advice, "makegood doctor --store sqlite:a.db");
}

TEST(Troubles, HaveAWayOutForEachCause) {
  const auto way_out = [](Errc code) { return trouble_of(Error{code, "x"}, "o", advice_here).advice; };
  EXPECT_EQ(way_out(Errc::counter_behind), "makegood outbox rewind --reason restored");
  EXPECT_EQ(way_out(Errc::store_foreign), "makegood adopt --store sqlite:a.db");
  EXPECT_EQ(way_out(Errc::schema_mismatch), "makegood migrate --store sqlite:a.db");
  // Which of two ways leads out of a log that was changed stands in the store, a moment later.
  for (int number = 0; number <= static_cast<int>(Errc::internal); ++number) {
    const auto code = static_cast<Errc>(number);
    if (code == Errc::counter_behind || code == Errc::store_foreign || code == Errc::schema_mismatch) continue;
    EXPECT_EQ(way_out(code), "makegood doctor --store sqlite:a.db") << to_string(code);
  }
}

TEST(Troubles, HaveAWayOutOfEachLogThatIsNotAsItWasLeft) {
  for (const LogTrouble why : {LogTrouble::counter_behind, LogTrouble::anchor_missing, LogTrouble::anchor_changed,
                               LogTrouble::drawn_again, LogTrouble::sequence_changed}) {
    OutboxState state = owned();
    state.lane.stopped = why;
    const bool goes_on = why == LogTrouble::sequence_changed;
    EXPECT_EQ(only(state).advice,
              goes_on ? "makegood outbox go-on --reason mended" : "makegood outbox rewind --reason restored");
  }
}

TEST(Troubles, TellOfBlockedKeysAndOfDeadLetters) {
  OutboxState state = owned();
  state.blocked = {{.head = {.destination = "fn:a", .tenant_id = "t", .dispatch_key = "k"}, .waiting_count = 4}};
  EXPECT_EQ(only(state).what, "4 messages wait behind 1 blocked key.");
  state.blocked[0].waiting_count = 0;
  EXPECT_EQ(only(state).what, "There is 1 blocked key; nothing waits behind it yet.");
  state.blocked.clear();
  state.groups = {{.topic = "order.paid",
                   .destination = "http:billing",
                   .error_code = "TX.TIMEOUT",
                   .count = 12,
                   .first_at = now - std::chrono::hours(1),
                   .last_at = now}};
  EXPECT_EQ(only(state).what, "12 dead letters of topic 'order.paid' at http:billing: TX.TIMEOUT.");
  EXPECT_EQ(only(state).advice, "makegood dead list --destination http:billing --code TX.TIMEOUT");
  state.groups[0].destination = "-";
  EXPECT_EQ(only(state).what, "12 messages of topic 'order.paid' had no route.");
}

TEST(Troubles, TellOfMessagesThatWaitTooLong) {
  OutboxState state = owned();
  state.backlog.pending_count = 3;
  state.backlog.oldest_pending_at = now - std::chrono::seconds(30);
  EXPECT_TRUE(troubles_of(state, advice_here, now).empty());
  state.backlog.oldest_pending_at = now - std::chrono::minutes(2);
  EXPECT_EQ(only(state).since, state.backlog.oldest_pending_at);
}

TEST(Troubles, TellOfACounterThatWasSetBack) {
  OutboxState state = owned();
  state.lane.counter = 50;
  EXPECT_EQ(only(state).advice, "makegood outbox rewind --reason restored");
}

TEST(Troubles, TellOfRowsAboveTheCounterUnlessARelayDoesOrItIsBehindAnyway) {
  OutboxState state = owned();
  state.lane.highest = state.lane.counter;
  EXPECT_TRUE(troubles_of(state, advice_here, now).empty());
  ++state.lane.highest;
  const Trouble told = only(state);
  EXPECT_EQ(told.weight, Trouble::Weight::critical);
  EXPECT_EQ(told.code, "STORAGE.CORRUPT");
  state.alarms = {{.outbox = "o", .error = error_of(LogTrouble::foreign_number), .since = now, .stops_lane = true}};
  EXPECT_EQ(only(state).since, now) << "by its relay, which knows since when";
  state.alarms.clear();
  state.lane.counter = 50;
  EXPECT_EQ(only(state).advice, "makegood outbox rewind --reason restored");
}

TEST(Troubles, TellOfAnAlteredSequence) {
  OutboxState state = owned();
  state.lane.is_counter_altered = true;
  EXPECT_EQ(only(state).weight, Trouble::Weight::warning);
}

TEST(Troubles, NameTheOutboxWhereThereAreSeveral) {
  OutboxState state = owned();
  state.lane.counter = 50;
  EXPECT_EQ(troubles_of(state, {.store_url = "s", .names_outbox = true}, now).at(0).advice,
            "makegood outbox rewind --reason restored --outbox o");
}

TEST(Troubles, NameTheOutboxWhereACommandWouldMeanAnother) {
  const Advice advice{.store_url = "sqlite:a.db", .names_outbox = true};
  const auto way_out = [&](Errc code) { return trouble_of(Error{code, "x"}, "o", advice).advice; };
  EXPECT_EQ(way_out(Errc::schema_mismatch), "makegood migrate --store sqlite:a.db --outbox o");
  EXPECT_EQ(way_out(Errc::store_foreign), "makegood adopt --store sqlite:a.db --set store.outboxes=o");
  EXPECT_EQ(way_out(Errc::store_full), "makegood doctor --store sqlite:a.db --outbox o");
}

TEST(Troubles, BeginWithTheWorstAndTheOldest) {
  std::vector<Trouble> troubles = {
      {.what = "c", .advice = {}},
      {.weight = Trouble::Weight::critical, .what = "b", .since = now, .advice = {}},
      {.weight = Trouble::Weight::critical, .what = "a", .since = now - std::chrono::hours(1), .advice = {}}};
  sort_by_weight(troubles);
  EXPECT_EQ(troubles[0].what + troubles[1].what + troubles[2].what, "abc");
}

TEST(Status, IsOkWhenNothingIsWrong) {
  Place place;
  const Answer answer = place.get("/api/status");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(at(answer, "/is_ok"), "true");
  EXPECT_EQ(at(answer, "/troubles"), "[]");
  EXPECT_EQ(text_at(answer, "/version"), "1.2.3");
  EXPECT_EQ(text_at(answer, "/store"), place.url());
  EXPECT_EQ(text_at(answer, "/outboxes/0/outbox"), "makegood_outbox");
  EXPECT_EQ(at(answer, "/outboxes/0/is_owned"), "false");
}

TEST(Status, CountsWhatWaits) {
  Place place;
  for (const char* name : {"a", "b", "c"}) place.enqueue(a_message(name).with_key("k"));
  place.turn({a_parked(1).with_key("k").dead().blocking().with_error("TX.TIMEOUT", "slow"),
              a_parked(2).with_key("k").held().blocking()},
             {.reached = 2});
  const Answer answer = place.get("/api/status");
  EXPECT_EQ(at(answer, "/is_ok"), "false") << "nobody owns it, and one is pending";
  EXPECT_EQ(number_at(answer, "/outboxes/0/pending_count"), 1);
  EXPECT_EQ(number_at(answer, "/outboxes/0/dead_count"), 1);
  EXPECT_EQ(number_at(answer, "/outboxes/0/held_count"), 1);
  EXPECT_EQ(number_at(answer, "/outboxes/0/blocked_key_count"), 1);
  EXPECT_EQ(text_at(answer, "/troubles/0/severity"), "critical");
  EXPECT_EQ(size_at(answer, "/troubles"), 3U) << answer.body;
}

TEST(Status, TellsWhatTheRelaysOfThisProcessSay) {
  Place place;
  place.api_context().alarms = [] {
    return std::vector<LiveAlarm>{
        {.outbox = outbox, .error = {Errc::store_foreign, "A copy."}, .since = now, .stops_lane = true},
        {.outbox = "another", .error = {Errc::store_full, "Full."}, .since = now, .stops_lane = true}};
  };
  place.reopen();
  const Answer answer = place.get("/api/status");
  EXPECT_EQ(at(answer, "/is_ok"), "false");
  EXPECT_EQ(size_at(answer, "/troubles"), 1U) << answer.body;
  EXPECT_EQ(text_at(answer, "/troubles/0/code"), "STORAGE.FOREIGN");
}

TEST(Status, TellsOfAStoreThatCannotBeRead) {
  Place place;
  place.api_context().store_url = "sqlite:/nowhere/at/all.db";
  place.reopen();
  const Answer answer = place.get("/api/status");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(at(answer, "/is_ok"), "false");
  EXPECT_EQ(at(answer, "/outboxes"), "[]");
  EXPECT_EQ(text_at(answer, "/troubles/0/held_by"), "the store");
  EXPECT_EQ(place.get("/api/outboxes").status, 503);
  EXPECT_EQ(place.get("messages").status, 503);
}

TEST(Status, IsWellAgainWhenTheStoreIs) {
  Place place;
  const std::string file = place.url().substr(std::string("sqlite:").size());
  place.api_context().store_url = "sqlite:" + file + ".moved";
  place.reopen();
  EXPECT_EQ(at(place.get("/api/status"), "/is_ok"), "false");
  for (const char* end : {"", "-wal", "-shm"}) {
    if (std::filesystem::exists(file + end))
      std::filesystem::copy_file(file + end, file + ".moved" + end, std::filesystem::copy_options::overwrite_existing);
  }
  EXPECT_EQ(at(place.get("/api/status"), "/is_ok"), "true") << place.get("/api/status").body;
}

}  // namespace
}  // namespace makegood::api
