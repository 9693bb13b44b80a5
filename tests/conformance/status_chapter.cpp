// What the status views tell, the same on every store that has tables, and the SQL that its page gives.
#include "tests/conformance/status_suite.hpp"

#include <utility>

namespace makegood::conformance {
namespace {

constexpr auto started = "2024-05-17 09:00:00.000";

/// Every message of these tests goes to fn:a.
Routing a_routing(std::int64_t version, Sequence from) {
  return {.version = version, .from = from, .routes = {{"orders.*", "fn:a"}}};
}
Position with_sides(Sequence reached, std::vector<SideLane> sides) {
  Position position{.reached = reached};
  position.sides = std::move(sides);
  return position;
}

}  // namespace

TEST_P(StatusSuite, HasTheColumnsOfTheStandardTable) {
  EXPECT_EQ(columns_of("makegood_outbox_status"),
            "id tenant_id topic payload event_id sequence created_at published_at attempts available_at locked_at "
            "last_error state dispatch_key changed_at");
  EXPECT_EQ(columns_of("makegood_outbox_status_003"),
            "id tenant_id event_type aggregate_id payload status retry_count next_retry_time create_time update_time");
  EXPECT_EQ(of(1, "id = event_id, tenant_id, topic, payload, created_at, available_at"),
            std::string("1|default|orders.placed|\"m1\"|") + started + "|" + started);
}

TEST_P(StatusSuite, FollowsAMessageThroughItsLife) {
  EXPECT_EQ(states(), "pending pending pending pending pending pending pending pending");
  Position position{.reached = 7};
  position.under_way["fn:a"] = {1, 2};
  position.under_way["fn:b"] = {2};
  commit({.position = position,
          .parked = {a_parked(3).waiting_until(clock().now() + 1h), a_parked(4).held(), a_parked(5).dead(),
                     a_parked(6).quarantined(), a_parked(7).waiting_until(clock().now()).under_way()}});
  EXPECT_EQ(states(), "leased leased pending pending dead quarantined leased pending");
  EXPECT_EQ(listed("status", "makegood_outbox_status_003 ORDER BY id"),
            "PENDING PENDING PENDING PENDING FAILED FAILED PENDING PENDING");
  commit({.position = {.reached = 8}, .parked = {a_parked(3).done(), a_parked(7).done()}});
  EXPECT_EQ(states(), "done done done pending dead quarantined done done");
  EXPECT_EQ(listed("status", "makegood_outbox_status_003 ORDER BY id"),
            "SENT SENT SENT PENDING FAILED FAILED SENT SENT");
}

TEST_P(StatusSuite, IsDeadWhenAnyOfItsDeliveriesIs) {
  commit({.position = {.reached = 8}, .parked = {a_parked(1, "fn:a").done(), a_parked(1, "fn:b").dead()}});
  EXPECT_EQ(of(1, "state, published_at"), "dead|NULL");
}

TEST_P(StatusSuite, TellsWhenAMessageWasDelivered) {
  Position position{.reached = 3};
  position.under_way["fn:a"] = {2};
  clock().advance(1s);
  commit({.position = position});
  clock().advance(1s);
  commit({.position = {.reached = 3}});
  clock().advance(1s);
  commit({.position = {.reached = 3}});
  EXPECT_EQ(of(1, "published_at"), "2024-05-17 09:00:01.000");
  EXPECT_EQ(of(2, "published_at"), "2024-05-17 09:00:02.000") << "its hole was closed by the second turn";
  EXPECT_EQ(of(4, "published_at"), "NULL");
}

TEST_P(StatusSuite, TellsWhenAnExceptionWasDelivered) {
  commit({.position = {.reached = 8}, .parked = {a_parked(1).waiting_until(clock().now())}});
  clock().advance(5s);
  commit({.position = {.reached = 8}, .parked = {a_parked(1).done().after_attempts(3)}});
  EXPECT_EQ(of(1, "published_at, attempts"), "2024-05-17 09:00:05.000|3");
}

TEST_P(StatusSuite, ShowsAttemptsErrorAndTimes) {
  Position position{.reached = 2};
  position.under_way["fn:a"] = {2};
  commit({.position = position,
          .parked = {a_parked(1).waiting_until(clock().now() + 90s).after_attempts(2).with_error("E", "refused")}});
  EXPECT_EQ(of(1, "attempts, last_error, available_at, locked_at"), "2|refused|2024-05-17 09:01:30.000|NULL");
  EXPECT_EQ(of(2, "attempts, locked_at"), std::string("1|") + started);
  EXPECT_EQ(of(3, "attempts, locked_at"), "0|NULL");
}

TEST_P(StatusSuite, ForgetsTheErrorOfWhatWasDelivered) {
  const auto failed = [](Sequence sequence, const char* destination) {
    return a_parked(sequence, destination).after_attempts(2).with_error("E", std::string("refused by ") + destination);
  };
  commit({.position = {.reached = 8}, .parked = {failed(1, "fn:a").waiting_until(clock().now())}});
  EXPECT_EQ(of(1, "state, last_error"), "pending|refused by fn:a");
  commit({.position = {.reached = 8},
          .parked = {failed(1, "fn:a").done(), failed(2, "fn:a").dead(), failed(2, "fn:b").done()}});
  EXPECT_EQ(of(1, "state, last_error"), "done|NULL");
  EXPECT_EQ(of(2, "state, last_error"), "dead|refused by fn:a") << "of the delivery that failed";
}

TEST_P(StatusSuite, TellsWhenSomethingLastHappenedToAMessage) {
  clock().advance(1s);
  commit({.position = {.reached = 8}, .parked = {a_parked(1).waiting_until(clock().now() + 1h), a_parked(2).dead()}});
  clock().advance(1s);
  commit({.position = {.reached = 8}, .parked = {a_parked(1).quarantined()}});
  EXPECT_EQ(of(1, "changed_at"), "2024-05-17 09:00:02.000");
  EXPECT_EQ(of(2, "changed_at"), "2024-05-17 09:00:01.000");
  EXPECT_EQ(of(3, "changed_at = published_at"), "1");
  const Sequence fresh = enqueue(a_message("fresh"));
  EXPECT_EQ(of(fresh, "changed_at = created_at"), "1");
}

TEST_P(StatusSuite, TellsTheSameByOtherNames) {
  clock().advance(1s);
  commit({.position = {.reached = 2},
          .parked = {a_parked(1).waiting_until(clock().now() + 90s).after_attempts(3).with_error("E", "refused")}});
  EXPECT_EQ(by_other_names(1, "tenant_id, event_type, aggregate_id, payload, status, retry_count"),
            "default|orders.placed|NULL|\"m1\"|PENDING|2");
  EXPECT_EQ(by_other_names(1, "next_retry_time, create_time, update_time"),
            std::string("2024-05-17 09:01:31.000|") + started + "|2024-05-17 09:00:01.000");
  EXPECT_EQ(by_other_names(2, "status, retry_count, update_time"), "SENT|0|2024-05-17 09:00:01.000");
  EXPECT_EQ(by_other_names(3, "status, retry_count, update_time"), std::string("PENDING|0|") + started);
}

TEST_P(StatusSuite, StillShowsADeadMessageThatWasCleanedFromTheLog) {
  commit({.position = {.reached = 8}, .parked = {a_parked(1).dead()}});
  clock().advance(2h);
  commit({.position = {.reached = 8}, .clean = Clean{.retention = 1h, .dead_retention = {}, .rows_max = 100}});
  EXPECT_EQ(ask("SELECT sequence, state, topic FROM makegood_outbox_status"), "1|dead|orders.placed");
}

TEST_P(StatusSuite, IsPendingUntilItsSideLaneHasReachedIt) {
  commit({.position = with_sides(8, {{.scope = {.destination = "fn:a"}, .reached = 5, .under_way = {3}}}),
          .routing = a_routing(1, 0)});
  EXPECT_EQ(states(), "done done leased done done pending pending pending");
  EXPECT_EQ(of(6, "published_at, attempts"), "NULL|0");
  EXPECT_EQ(of(3, "locked_at"), started);
  commit({.position = {.reached = 8}});
  EXPECT_EQ(states(), "done done done done done done done done");
}

TEST_P(StatusSuite, IsNotTheBusinessOfASideLaneThatItIsNotRoutedTo) {
  commit({.position = with_sides(8, {{.scope = {.destination = "fn:b"}, .reached = 5}}), .routing = a_routing(1, 0)});
  EXPECT_EQ(states(), "done done done done done done done done");
}

TEST_P(StatusSuite, IsNotTheBusinessOfAnotherTenantsDestination) {
  enqueue(a_message("theirs").of_tenant("acme"));
  Routing routing = a_routing(1, 0);
  routing.destinations = {{.name = "fn:a", .tenant_id = "acme"}};
  commit({.position = with_sides(9, {{.scope = {.destination = "fn:a"}, .reached = 5}}), .routing = routing});
  EXPECT_EQ(states(), "done done done done done done done done pending");
}

TEST_P(StatusSuite, GoesByTheVersionOfTheRoutesThatCountsForItsNumber) {
  Routing second = a_routing(2, 6);
  second.routes = {{"*", "fn:b"}};
  const Position position = with_sides(8, {{.scope = {.destination = "fn:a"}, .reached = 4}});
  commit({.position = position, .routing = a_routing(1, 5)});
  EXPECT_EQ(states(), "done done done done done pending pending pending") << "no version counts for the fifth";
  commit({.position = position, .routing = second});
  EXPECT_EQ(states(), "done done done done done pending done done");
}

TEST_P(StatusSuite, IsPendingOnlyInTheScopeOfTheSideLane) {
  enqueue(a_message("tenant").of_tenant("acme"));
  enqueue(a_message("key").of_tenant("acme").with_key("k"));
  enqueue(a_message("other key").of_tenant("acme").with_key("l"));
  enqueue(a_message("low").with_priority(-1));
  enqueue(a_message("low key").with_key("k").with_priority(-1));
  const auto with = [&](const Scope& scope) {
    commit({.position = with_sides(13, {{.scope = scope, .reached = 8}})});
    return listed("state", "makegood_outbox_status WHERE sequence > 8 ORDER BY sequence");
  };
  commit({.routing = a_routing(1, 0)});
  EXPECT_EQ(with({.destination = "fn:a"}), "pending pending pending pending pending");
  EXPECT_EQ(with({"fn:a", "acme"}), "pending pending pending done done");
  EXPECT_EQ(with({"fn:a", "acme", "k"}), "done pending done done done");
  EXPECT_EQ(with({.destination = "fn:a", .priority = -1}), "done done done pending done");
}

TEST_P(StatusSuite, IsCarriedByTheInnermostSideLane) {
  const Sequence n = enqueue(a_message("m9").of_tenant("acme"));
  commit({.position = with_sides(
              n, {{.scope = {.destination = "fn:a"}, .reached = 4}, {.scope = {"fn:a", "acme"}, .reached = n}}),
          .routing = a_routing(1, 0)});
  EXPECT_EQ(of(n, "state"), "done");
  EXPECT_EQ(of(8, "state"), "pending");
  commit({.position = with_sides(
              n, {{.scope = {.destination = "fn:a"}, .reached = n}, {.scope = {"fn:a", "acme"}, .reached = 4}})});
  EXPECT_EQ(of(n, "state"), "pending");
  EXPECT_EQ(of(8, "state"), "done");
}

TEST_P(StatusSuite, DoesNotMindAReplayOfHistory) {
  SideLane history{.scope = {.destination = "fn:a"}, .why = SideLane::Why::history, .reached = 4, .under_way = {3}};
  commit({.position = with_sides(8, {history}), .routing = a_routing(1, 0)});
  EXPECT_EQ(states(), "done done done done done done done done");
}

TEST_P(StatusSuite, TakesAPatternAsTheRoutesDo) {
  for (const auto* topic : {"a.b", "a[b", "a?b", "axb", "a]b", "ab"}) enqueue(a_message(topic).with_topic(topic));
  auto carried = [&, version = std::int64_t{0}](const std::string& pattern) mutable {
    commit({.position = with_sides(14, {{.scope = {.destination = "fn:a"}, .reached = 8}}),
            .routing = Routing{.version = ++version, .from = 0, .routes = {{pattern, "fn:a"}}}});
    return listed("topic", "makegood_outbox_status WHERE state = 'pending' ORDER BY sequence");
  };
  EXPECT_EQ(carried("a*b"), "a.b a[b a?b axb a]b ab");
  EXPECT_EQ(carried("a?b"), "a?b");
  EXPECT_EQ(carried("a[b"), "a[b");
  EXPECT_EQ(carried("a]b"), "a]b");
  EXPECT_EQ(carried("a[x]b"), "");
  EXPECT_EQ(carried("*[*"), "a[b");
}

// The runbook.

TEST_P(StatusSuite, EveryStatementOfItsPageRuns) {
  if (GetParam().name == "postgres") ask("CREATE TABLE orders (id integer, state text)");
  const std::vector<std::string> statements = statements_of_its_page();
  EXPECT_GE(statements.size(), 5U);
  for (const std::string& statement : statements) EXPECT_NO_THROW(ask(statement)) << statement;
}

TEST_P(StatusSuite, TheRunbookCountsTheBacklogAndListsTheDead) {
  commit({.position = {.reached = 6},
          .parked = {a_parked(1).dead().after_attempts(5).with_error("E", "refused"),
                     a_parked(2).waiting_until(clock().now() + 1h)}});
  EXPECT_EQ(ask(statement_about("The backlog")), "3") << "one waits, two have not been read";
  EXPECT_EQ(ask(statement_about("cheap: numbers")), "2");
  EXPECT_EQ(ask(statement_about("Dead messages")), "1|" + event_id_for("m1") + "|orders.placed|5|refused");
}

TEST_P(StatusSuite, TheRunbookReplaysAMessageThatWasCleanedFromTheLogToo) {
  commit({.position = {.reached = 8}, .parked = {a_parked(1).dead(), a_parked(2).dead()}});
  std::string replay = statement_about("Replay one");
  const std::string example = "0192f0c1-2b3c-7d4e-8f50-617283940abc";
  ASSERT_NE(replay.find(example), std::string::npos);
  const auto replay_of = [&](const std::string& name) {
    std::string statement = replay;
    return statement.replace(statement.find(example), example.size(), event_id_for(name));
  };
  ask(replay_of("m1"));
  clock().advance(2h);
  commit({.position = {.reached = 8}, .clean = Clean{.retention = 1h, .dead_retention = {}, .rows_max = 100}});
  ASSERT_EQ(ask("SELECT count(*) FROM makegood_outbox"), "0");
  ask(replay_of("m2"));
  EXPECT_EQ(ask("SELECT kind, sequence, destination, operator FROM makegood_outbox_request ORDER BY id"),
            "replay|1|fn:a|ann;replay|2|fn:a|ann");
}

}  // namespace makegood::conformance
