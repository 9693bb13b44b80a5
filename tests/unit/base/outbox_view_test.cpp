#include "makegood/spi/outbox_view.hpp"

#include <gtest/gtest.h>

#include "base/story.hpp"
#include "base/view_filter.hpp"

namespace makegood {

TEST(OutboxView, NamesEachStateOfAMessageAndKnowsItAgain) {
  using enum MessageState;
  for (const MessageState state : {pending, leased, done, dead, quarantined}) {
    EXPECT_EQ(message_state_from(to_string(state)), state);
  }
  EXPECT_FALSE(message_state_from("lost"));
  EXPECT_FALSE(message_state_from(""));
}

TEST(OutboxView, AStoryComesBackAsItWasWritten) {
  const TimePoint at = from_milliseconds(1'715'936'400'123);
  const std::vector<AttemptNote> story = {
      {.attempt = 1, .at = at, .outcome = "retry", .code = "TX.TIMEOUT", .error = "said \"no\"\n", .owner = "a"},
      {.attempt = 0, .at = at, .outcome = "replayed"}};
  const auto back = decode_story(encode_story(story));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), 2U);
  EXPECT_EQ((*back)[0].at, at);
  EXPECT_EQ((*back)[0].error, "said \"no\"\n");
  EXPECT_EQ((*back)[0].owner, "a");
  EXPECT_EQ((*back)[1].outcome, "replayed");
  EXPECT_EQ((*back)[1].owner, "");
}

TEST(OutboxView, AStoryOfBeforeOwnersWereWrittenDownIsRead) {
  const auto story = decode_story(R"([{"attempt":3,"at":1,"outcome":"fail","code":"E"}])");
  ASSERT_TRUE(story);
  EXPECT_EQ(story->at(0).attempt, 3U);
  EXPECT_EQ(story->at(0).error, "");
}

TEST(OutboxView, WhatIsNoStoryIsDamage) {
  for (const std::string_view text :
       {"", "{}", "[1]", "[{}]", R"([{"attempt":-1,"at":1}])", R"([{"attempt":1,"at":"noon"}])", "[", "once"}) {
    const auto story = decode_story(text);
    ASSERT_FALSE(story) << text;
    EXPECT_EQ(story.error().code, Errc::store_corrupt) << text;
  }
}

TEST(OutboxView, NothingAndAStarAloneMeanEveryTopic) {
  for (const std::string_view pattern : {"", "*"}) {
    EXPECT_TRUE(is_wanted_topic(pattern, "orders.placed"));
    EXPECT_TRUE(is_wanted_topic(pattern, "makegood.destination.disabled.v1"));
  }
  EXPECT_FALSE(is_wanted_topic("**", "makegood.destination.disabled.v1")) << "as in a route";
  EXPECT_TRUE(is_wanted_topic("orders.*", "orders.placed"));
  EXPECT_FALSE(is_wanted_topic("orders.*", "stock.low"));
}

}  // namespace makegood
