#include <gtest/gtest.h>

#include "base/saga_page.hpp"

namespace makegood {
namespace {

SagaSlice a_slice(const std::vector<Sequence>& numbers, Sequence covered_to = 0) {
  SagaSlice slice{.covered_to = covered_to};
  for (const Sequence number : numbers) {
    slice.items.push_back({.execution = number, .tenant_id = "default", .id = "o", .definition = "order"});
  }
  return slice;
}

std::vector<Sequence> numbers_in(const SagaPage& page) {
  std::vector<Sequence> numbers;
  for (const SagaSummary& item : page.items) numbers.push_back(item.execution);
  return numbers;
}

}  // namespace

TEST(SagaStates, HaveTextsThatLeadBack) {
  for (int value = 0; value <= static_cast<int>(SagaState::cancelled); ++value) {
    const auto state = static_cast<SagaState>(value);
    EXPECT_EQ(saga_state_from(to_string(state)), state);
  }
  EXPECT_EQ(saga_state_from("done"), std::nullopt);
}

TEST(SagaStates, FourOfThemAreEnds) {
  for (const SagaState state :
       {SagaState::completed, SagaState::compensated, SagaState::failed, SagaState::cancelled}) {
    EXPECT_TRUE(has_ended(state));
  }
  for (const SagaState state : {SagaState::pending, SagaState::running, SagaState::waiting, SagaState::paused,
                                SagaState::manual, SagaState::compensating}) {
    EXPECT_FALSE(has_ended(state));
  }
}

TEST(SagaStates, ATopicOfMakegoodsOwnIsNoStart) {
  EXPECT_TRUE(is_saga_start("order"));
  EXPECT_TRUE(is_saga_start("makegoods"));
  EXPECT_FALSE(is_saga_start("makegood.saga.cancel"));
  EXPECT_FALSE(is_saga_start("makegood.anchor"));
}

TEST(SagaPages, PutSeveralSourcesInOneOrder) {
  const SagaPage page = page_of({a_slice({9, 3}), a_slice({7, 5, 1})}, 10);
  EXPECT_EQ(numbers_in(page), std::vector<Sequence>({9, 7, 5, 3, 1}));
  EXPECT_EQ(page.next, 0);
}

TEST(SagaPages, GoNoFurtherDownThanEverySourceWasLookedInto) {
  const SagaPage page = page_of({a_slice({9, 3}), a_slice({7}, 6)}, 10);
  EXPECT_EQ(numbers_in(page), std::vector<Sequence>({9, 7}));  // There may be a 5 in the other one.
  EXPECT_EQ(page.next, 6);
}

TEST(SagaPages, AreCutWhereTheyAreFull) {
  const SagaPage page = page_of({a_slice({9, 8, 7}, 7)}, 2);
  EXPECT_EQ(numbers_in(page), std::vector<Sequence>({9, 8}));
  EXPECT_EQ(page.next, 8);
}

}  // namespace makegood
