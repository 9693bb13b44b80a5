// Who holds a key, and who is called when it is left.
#include "tests/conformance/saga_suite.hpp"

namespace makegood::conformance {

SagaKeys::SagaKeys() : first_(start(a_start("o1"))), second_(start(a_start("o2"))), third_(start(a_start("o3"))) {
  take();
  SagaTurn turn = next_turn(third_);
  turn.keys_taken = {held_by(first_, "o1")};
  turn.parked = {a_waiting(third_, "o3"), a_waiting(second_, "o2")};
  commit(turn);
}

SagaKeyHeld SagaKeys::held_by(Sequence execution, const std::string& id, const std::string& tenant_id) {
  return {.tenant_id = tenant_id, .key = "k", .execution = execution, .id = id};
}

SagaParked SagaKeys::a_waiting(Sequence execution, const std::string& id) {
  SagaParked parked{.summary = summary(execution, SagaState::pending, id), .key = "k"};
  parked.summary.waits_for = "key";
  return parked;
}

void SagaKeys::leave(Sequence execution, const std::string& id) {
  SagaTurn turn = next_turn(third_);
  turn.keys_left = {held_by(execution, id)};
  commit(turn);
}

Sequence SagaKeys::holder(const std::string& tenant_id) {
  const auto held = value_of(store().key_holder(tenant_id, "k"));
  return held ? held->execution : 0;
}

TEST_P(SagaKeys, GoToTheLowestThatWaitsWhichIsDueAtOnce) {
  leave(first_, "o1");
  EXPECT_EQ(holder(), second_);
  EXPECT_EQ(value_of(store().key_holder("default", "k"))->id, "o2");
  EXPECT_EQ(value_of(store().due(clock().now(), 10)), std::vector<Sequence>({second_}));
}

TEST_P(SagaKeys, AreFreeWhenNobodyWaits) {
  SagaTurn turn = next_turn(third_);
  turn.unparked = {second_, third_};
  turn.keys_left = {held_by(first_, "o1")};
  commit(turn);
  EXPECT_EQ(holder(), 0);
}

TEST_P(SagaKeys, AreLeftOnlyByTheirHolder) {
  leave(third_, "o3");
  EXPECT_EQ(holder(), first_);
  EXPECT_TRUE(value_of(store().due(clock().now(), 10)).empty());
}

TEST_P(SagaKeys, AreTakenAndLeftInOneTurn) {
  const Sequence other = start(a_start("o4"));
  SagaTurn turn = next_turn(other);
  turn.keys_taken = {held_by(other, "o4", "acme")};
  turn.keys_left = {held_by(other, "o4", "acme")};
  commit(turn);
  EXPECT_EQ(holder("acme"), 0);
  EXPECT_EQ(holder(), first_);
}

TEST_P(SagaKeys, OfTenantsAreApart) {
  EXPECT_EQ(holder("acme"), 0);
  SagaTurn turn = next_turn(third_);
  turn.keys_taken = {held_by(99, "other", "acme")};
  commit(turn);
  leave(first_, "o1");
  EXPECT_EQ(holder("acme"), 99);
}

TEST_P(SagaKeys, AreListedWithWhoHoldsThemAndWhoWaits) {
  const auto blocked = value_of(view().blocked_keys({}, 10));
  ASSERT_EQ(blocked.size(), 1U);
  EXPECT_EQ(blocked[0].held.id, "o1");
  EXPECT_EQ(blocked[0].holder_state, SagaState::running);
  EXPECT_EQ(blocked[0].waiting_count, 2U);
  EXPECT_EQ(blocked[0].first_waiting, "o2");
  EXPECT_EQ(value_of(view().blocked_keys("default", 10)).size(), 1U);
  EXPECT_TRUE(value_of(view().blocked_keys("acme", 10)).empty());
  EXPECT_TRUE(value_of(view().blocked_keys({}, 0)).empty());
}

TEST_P(SagaKeys, AreHeldByWhatHasFailed) {
  SagaTurn turn = next_turn(third_);
  turn.ends = {an_end(first_, SagaState::failed)};
  commit(turn);
  EXPECT_EQ(value_of(view().blocked_keys({}, 10)).at(0).holder_state, SagaState::failed);
}

TEST_P(SagaKeys, AreForgottenWithAReset) {
  SagaTurn turn = next_turn(third_);
  turn.turn.is_reset = true;
  commit(turn);
  EXPECT_EQ(holder(), 0);
}

}  // namespace makegood::conformance
