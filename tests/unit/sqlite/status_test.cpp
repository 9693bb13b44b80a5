#include "tests/unit/sqlite/database.hpp"

namespace makegood::sqlite {
namespace {

constexpr auto started = "2024-05-17 09:00:00.000";

}  // namespace

class Status : public SqliteTest {
 protected:
  Status() {
    for (int i = 1; i <= 8; ++i) enqueue(a_message("m" + std::to_string(i)));
  }
  std::string states() { return app().ask("SELECT group_concat(state, ' ') FROM makegood_outbox_status"); }
  /// Every message of these tests goes to fn:a.
  static Routing a_routing(std::int64_t version, Sequence from) {
    return {.version = version, .from = from, .routes = {{"orders.*", "fn:a"}}};
  }
  static Position with_sides(Sequence reached, std::vector<SideLane> sides) {
    Position position{.reached = reached};
    position.sides = std::move(sides);
    return position;
  }
  std::string of(Sequence sequence, const std::string& columns) {
    return app().ask("SELECT " + columns + " FROM makegood_outbox_status WHERE sequence = " + std::to_string(sequence));
  }
};

TEST_F(Status, HasTheColumnsOfTheStandardTable) {
  EXPECT_EQ(app().ask("SELECT group_concat(name, ' ') FROM pragma_table_info('makegood_outbox_status')"),
            "id tenant_id topic payload event_id sequence created_at published_at attempts available_at locked_at "
            "last_error state dispatch_key");
  EXPECT_EQ(of(1, "id = event_id, tenant_id, topic, payload, created_at, available_at"),
            std::string("1|default|orders.placed|\"m1\"|") + started + "|" + started);
}

TEST_F(Status, FollowsAMessageThroughItsLife) {
  EXPECT_EQ(states(), "pending pending pending pending pending pending pending pending");
  Position position{.reached = 7};
  position.under_way["fn:a"] = {1, 2};
  position.under_way["fn:b"] = {2};
  commit({.position = position,
          .parked = {a_parked(3).waiting_until(clock_.now() + 1h), a_parked(4).held(), a_parked(5).dead(),
                     a_parked(6).quarantined(), a_parked(7).waiting_until(clock_.now()).under_way()}});
  EXPECT_EQ(states(), "leased leased pending pending dead quarantined leased pending");
  EXPECT_EQ(app().ask("SELECT group_concat(status, ' ') FROM makegood_outbox_status_003"),
            "PENDING PENDING PENDING PENDING FAILED FAILED PENDING PENDING");
  commit({.position = {.reached = 8}, .parked = {a_parked(3).done(), a_parked(7).done()}});
  EXPECT_EQ(states(), "done done done pending dead quarantined done done");
  EXPECT_EQ(app().ask("SELECT group_concat(status, ' ') FROM makegood_outbox_status_003"),
            "SENT SENT SENT PENDING FAILED FAILED SENT SENT");
}

TEST_F(Status, IsDeadWhenAnyOfItsDeliveriesIs) {
  commit({.position = {.reached = 8}, .parked = {a_parked(1, "fn:a").done(), a_parked(1, "fn:b").dead()}});
  EXPECT_EQ(of(1, "state, published_at"), "dead|NULL");
}

TEST_F(Status, TellsWhenAMessageWasDelivered) {
  Position position{.reached = 3};
  position.under_way["fn:a"] = {2};
  clock_.advance(1s);
  commit({.position = position});
  clock_.advance(1s);
  commit({.position = {.reached = 3}});
  clock_.advance(1s);
  commit({.position = {.reached = 3}});
  EXPECT_EQ(of(1, "published_at"), "2024-05-17 09:00:01.000");
  EXPECT_EQ(of(2, "published_at"), "2024-05-17 09:00:02.000") << "its hole was closed by the second turn";
  EXPECT_EQ(of(4, "published_at"), "NULL");
}

TEST_F(Status, TellsWhenAnExceptionWasDelivered) {
  commit({.position = {.reached = 8}, .parked = {a_parked(1).waiting_until(clock_.now())}});
  clock_.advance(5s);
  commit({.position = {.reached = 8}, .parked = {a_parked(1).done().after_attempts(3)}});
  EXPECT_EQ(of(1, "published_at, attempts"), "2024-05-17 09:00:05.000|3");
}

TEST_F(Status, ShowsAttemptsErrorAndTimes) {
  Position position{.reached = 2};
  position.under_way["fn:a"] = {2};
  commit({.position = position,
          .parked = {a_parked(1).waiting_until(clock_.now() + 90s).after_attempts(2).with_error("E", "refused")}});
  EXPECT_EQ(of(1, "attempts, last_error, available_at, locked_at"), "2|refused|2024-05-17 09:01:30.000|NULL");
  EXPECT_EQ(of(2, "attempts, locked_at"), std::string("1|") + started);
  EXPECT_EQ(of(3, "attempts, locked_at"), "0|NULL");
}

TEST_F(Status, StillShowsADeadMessageThatWasCleanedFromTheLog) {
  commit({.position = {.reached = 8}, .parked = {a_parked(1).dead()}});
  clock_.advance(2h);
  commit({.position = {.reached = 8}, .clean = Clean{.retention = 1h, .dead_retention = {}, .rows_max = 100}});
  EXPECT_EQ(app().ask("SELECT sequence, state, topic FROM makegood_outbox_status"), "1|dead|orders.placed");
}

TEST_F(Status, IsPendingUntilItsSideLaneHasReachedIt) {
  commit({.position = with_sides(8, {{.scope = {.destination = "fn:a"}, .reached = 5, .under_way = {3}}}),
          .routing = a_routing(1, 0)});
  EXPECT_EQ(states(), "done done leased done done pending pending pending");
  EXPECT_EQ(of(6, "published_at, attempts"), "NULL|0");
  EXPECT_EQ(of(3, "locked_at"), started);
  commit({.position = {.reached = 8}});
  EXPECT_EQ(states(), "done done done done done done done done");
}

TEST_F(Status, IsNotTheBusinessOfASideLaneThatItIsNotRoutedTo) {
  commit({.position = with_sides(8, {{.scope = {.destination = "fn:b"}, .reached = 5}}), .routing = a_routing(1, 0)});
  EXPECT_EQ(states(), "done done done done done done done done");
}

TEST_F(Status, GoesByTheVersionOfTheRoutesThatCountsForItsNumber) {
  Routing second = a_routing(2, 6);
  second.routes = {{"*", "fn:b"}};
  const Position position = with_sides(8, {{.scope = {.destination = "fn:a"}, .reached = 4}});
  commit({.position = position, .routing = a_routing(1, 5)});
  EXPECT_EQ(states(), "done done done done done pending pending pending") << "no version counts for the fifth";
  commit({.position = position, .routing = second});
  EXPECT_EQ(states(), "done done done done done pending done done");
}

TEST_F(Status, IsPendingOnlyInTheScopeOfTheSideLane) {
  enqueue(a_message("tenant").of_tenant("acme"));
  enqueue(a_message("key").of_tenant("acme").with_key("k"));
  enqueue(a_message("other key").of_tenant("acme").with_key("l"));
  enqueue(a_message("low").with_priority(-1));
  enqueue(a_message("low key").with_key("k").with_priority(-1));
  const auto with = [&](const Scope& scope) {
    commit({.position = with_sides(13, {{.scope = scope, .reached = 8}})});
    return app().ask("SELECT group_concat(state, ' ') FROM makegood_outbox_status WHERE sequence > 8");
  };
  commit({.routing = a_routing(1, 0)});
  EXPECT_EQ(with({.destination = "fn:a"}), "pending pending pending pending pending");
  EXPECT_EQ(with({"fn:a", "acme"}), "pending pending pending done done");
  EXPECT_EQ(with({"fn:a", "acme", "k"}), "done pending done done done");
  EXPECT_EQ(with({.destination = "fn:a", .priority = -1}), "done done done pending done");
}

TEST_F(Status, IsCarriedByTheInnermostSideLane) {
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

TEST_F(Status, DoesNotMindAReplayOfHistory) {
  SideLane history{.scope = {.destination = "fn:a"}, .why = SideLane::Why::history, .reached = 4, .under_way = {3}};
  commit({.position = with_sides(8, {history}), .routing = a_routing(1, 0)});
  EXPECT_EQ(states(), "done done done done done done done done");
}

TEST_F(Status, TakesAPatternAsTheRoutesDo) {
  for (const auto* topic : {"a.b", "a[b", "a?b", "axb", "a]b", "ab"}) enqueue(a_message(topic).with_topic(topic));
  auto carried = [&, version = std::int64_t{0}](const std::string& pattern) mutable {
    commit({.position = with_sides(14, {{.scope = {.destination = "fn:a"}, .reached = 8}}),
            .routing = Routing{.version = ++version, .from = 0, .routes = {{pattern, "fn:a"}}}});
    return app().ask("SELECT group_concat(topic, ' ') FROM makegood_outbox_status WHERE state = 'pending'");
  };
  EXPECT_EQ(carried("a*b"), "a.b a[b a?b axb a]b ab");
  EXPECT_EQ(carried("a?b"), "a?b");
  EXPECT_EQ(carried("a[b"), "a[b");
  EXPECT_EQ(carried("a]b"), "a]b");
  EXPECT_EQ(carried("a[x]b"), "NULL");
  EXPECT_EQ(carried("*[*"), "a[b");
}

}  // namespace makegood::sqlite
