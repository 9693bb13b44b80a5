// Order per key (I4): who is next, who may go, who is only waiting to be told.
#include "core/keys.hpp"

#include <gtest/gtest.h>

#include "tests/support/committed_message.hpp"

namespace makegood::core {
namespace {

using testing_support::committed_message;

class KeysStory : public testing::Test {
 protected:
  CarriedIndex arrives(Sequence sequence) {
    const CarriedIndex index = window.add({.message = committed_message({}, sequence)});
    enter(key, index, window);
    return index;
  }
  std::optional<Sequence> goes() {
    const auto index = let_go(key, window);
    if (!index) return std::nullopt;
    return window.at(*index).message->sequence;
  }

  Window window;
  Keys keys;
  Key& key = keys.at("default", "k", 1);
};

TEST_F(KeysStory, LetsThemGoByNumberWhateverTheOrderOfArrival) {
  for (const Sequence sequence : {5, 2, 9}) arrives(sequence);
  EXPECT_EQ(goes(), 2);
  key.going.reset();
  EXPECT_EQ(goes(), 5);
  key.going.reset();
  EXPECT_EQ(goes(), 9);
}

TEST_F(KeysStory, LetsOneGoAtATime) {
  arrives(1);
  arrives(2);
  EXPECT_EQ(goes(), 1);
  EXPECT_EQ(goes(), std::nullopt);
}

TEST_F(KeysStory, LetsNobodyGoWhenNobodyIsThere) { EXPECT_EQ(goes(), std::nullopt); }

TEST_F(KeysStory, LetsNobodyPassABlocker) {
  key.blockers[3] = {};
  arrives(4);
  EXPECT_EQ(goes(), std::nullopt);
  arrives(2);
  EXPECT_EQ(goes(), 2) << "what comes before the blocker may go";
}

TEST_F(KeysStory, TheNextOneIsTheOneWithNothingBeforeIt) {
  EXPECT_TRUE(is_next(key, 4, window));
  arrives(3);
  EXPECT_FALSE(is_next(key, 4, window)) << "3 is in hand";
  EXPECT_TRUE(is_next(key, 2, window));
  key.blockers[1] = {};
  EXPECT_FALSE(is_next(key, 2, window)) << "1 blocks";
}

TEST_F(KeysStory, NobodyIsNextWhileOneIsUnderWay) {
  arrives(5);
  ASSERT_EQ(goes(), 5);
  EXPECT_FALSE(is_next(key, 1, window));
}

TEST_F(KeysStory, TheFirstHeldOneIsToBeTold) {
  key.blockers[3] = {.state = ParkedState::held};
  key.blockers[4] = {.state = ParkedState::held};
  EXPECT_EQ(next_held(key, window), 3);
}

TEST_F(KeysStory, AHeldOneBehindOneThatWaitsIsNotTold) {
  key.blockers[2] = {.state = ParkedState::waiting};
  key.blockers[3] = {.state = ParkedState::held};
  EXPECT_EQ(next_held(key, window), std::nullopt);
  key.blockers[2].state = ParkedState::dead;
  EXPECT_EQ(next_held(key, window), std::nullopt);
}

TEST_F(KeysStory, AHeldOneIsNotToldWhileAnotherIsBeforeItOrUnderWay) {
  key.blockers[3] = {.state = ParkedState::held};
  arrives(2);
  EXPECT_EQ(next_held(key, window), std::nullopt) << "2 is in hand";
  ASSERT_EQ(goes(), 2);
  EXPECT_EQ(next_held(key, window), std::nullopt) << "2 is under way";
  key.going.reset();
  EXPECT_EQ(next_held(key, window), 3);
}

TEST_F(KeysStory, AKeyIsFoundByTenantKeyAndDestination) {
  EXPECT_EQ(keys.find("default", "k", 1), &key);
  EXPECT_EQ(keys.find("default", "k", 2), nullptr);
  EXPECT_EQ(keys.find("other", "k", 1), nullptr);
  EXPECT_EQ(keys.find("default", "q", 1), nullptr);
}

TEST_F(KeysStory, NamesThatReadTheSameTogetherAreApart) {
  Key& left = keys.at("ab", "c", 1);
  Key& right = keys.at("a", "bc", 1);
  EXPECT_NE(&left, &right);
  EXPECT_EQ(&keys.at("ab", "c", 1), &left);
}

TEST_F(KeysStory, AnIdleKeyIsDropped) {
  keys.drop_if_idle(key);
  EXPECT_EQ(keys.find("default", "k", 1), nullptr);
}

TEST_F(KeysStory, AKeyIsKeptWhileAnythingIsKnownOfIt) {
  const auto is_kept = [&] {
    keys.drop_if_idle(key);
    return keys.find("default", "k", 1) != nullptr;
  };
  arrives(1);
  EXPECT_TRUE(is_kept()) << "in hand";
  ASSERT_EQ(goes(), 1);
  EXPECT_TRUE(is_kept()) << "under way";
  key.going.reset();
  key.blockers[1] = {.state = ParkedState::dead};
  EXPECT_TRUE(is_kept()) << "blocked";
  key.blockers.clear();
  EXPECT_FALSE(is_kept());
}

}  // namespace
}  // namespace makegood::core
