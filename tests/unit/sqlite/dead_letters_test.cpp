#include "tests/unit/sqlite/database.hpp"

namespace makegood::sqlite {

class DeadLettersOf : public SqliteTest {
 protected:
  void park(std::vector<Turn::Change> changes) {
    const Taken taken = take(store(), "a");
    value_of(store().commit({.owner = "a", .after = taken.turn, .lease = {}, .parked = std::move(changes)}));
  }
};

TEST_F(DeadLettersOf, OneTenantAreNotShownToAnother) {
  park(
      {a_parked(1).of_tenant("a").dead(), a_parked(2).of_tenant("b").quarantined(), a_parked(3).of_tenant("a").held()});
  const auto letters = dead_letters();
  EXPECT_EQ(value_of(letters->list_dead({.tenant_id = "a"}, {}, 10)).size(), 1U);
  EXPECT_EQ(value_of(letters->list_dead({}, {}, 10)).size(), 2U);
  EXPECT_TRUE(letters->inspect("b", 2, "fn:a"));
  EXPECT_EQ(letters->inspect("a", 2, "fn:a").error().code, Errc::not_found);
}

TEST_F(DeadLettersOf, OneMessageMayBeOnTwoPages) {
  park({a_parked(1, "fn:a").dead(), a_parked(1, "fn:b").dead(), a_parked(2, "fn:a").dead()});
  const auto letters = dead_letters();
  EXPECT_EQ(value_of(letters->list_dead({}, {}, 1)).at(0).parked.destination, "fn:a");
  EXPECT_EQ(value_of(letters->list_dead({}, {1, "fn:a"}, 1)).at(0).parked.destination, "fn:b");
  EXPECT_EQ(value_of(letters->list_dead({}, {1, "fn:b"}, 1)).at(0).parked.sequence, 2);
}

TEST_F(DeadLettersOf, BlockedKeysAreShownWithTheirHead) {
  park({a_parked(1).with_key("k").waiting_until(clock_.now()).blocking(), a_parked(2).with_key("k").held().blocking(),
        a_parked(3).with_key("k").held().blocking(), a_parked(4).with_key("other").held(),
        a_parked(5).dead().blocking()});
  const auto keys = value_of(dead_letters()->blocked_keys(10));
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_EQ(keys[0].head.sequence, 1);
  EXPECT_EQ(keys[0].waiting_count, 2U);
}

TEST_F(DeadLettersOf, RequestsAreAnsweredOnce) {
  const auto letters = dead_letters();
  const auto id = value_of(letters->request(
      {.kind = RequestKind::replay, .sequence = 7, .destination = "fn:a", .operator_name = "eve", .reason = "fixed"}));
  EXPECT_FALSE(value_of(letters->answer_to(id)));
  const Taken taken = take(store(), "a");
  value_of(store().commit({.owner = "a", .after = taken.turn, .lease = lease, .answers = {{id, "done"}}}));
  value_of(store().commit({.owner = "a", .after = taken.turn + 1, .lease = lease, .answers = {{id, "again"}}}));
  EXPECT_EQ(value_of(letters->answer_to(id)), "done");
  EXPECT_EQ(letters->answer_to(id + 1).error().code, Errc::not_found);
}

}  // namespace makegood::sqlite
