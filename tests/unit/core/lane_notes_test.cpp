// What the story of a delivery says of each attempt.
#include "core/error_text.hpp"
#include "tests/unit/core/lane_story.hpp"

namespace makegood::core {
namespace {

class LaneNotes : public LaneStory {};

TEST_F(LaneNotes, SayWhoseAttemptItWasAndWhatCameOfIt) {
  send_first({row(1)});
  fail_and_park(1);
  EXPECT_EQ(note_on(1)->outcome, "retry");
  EXPECT_EQ(note_on(1)->attempt, 1U);
  EXPECT_EQ(note_on(1)->code, "TX.TIMEOUT");
  EXPECT_EQ(note_on(1)->error, "no answer");
  EXPECT_EQ(note_on(1)->owner, lane().owner());
}

TEST_F(LaneNotes, OfASuccessHaveNoError) {
  send_first({row(1)});
  fail_and_park(1);
  try_again(1);
  succeeds(1);
  exchange();
  EXPECT_EQ(note_on(1)->outcome, "ok");
  EXPECT_EQ(note_on(1)->attempt, 2U);
  EXPECT_EQ(note_on(1)->error, "");
  EXPECT_EQ(note_on(1)->owner, lane().owner());
}

TEST_F(LaneNotes, OfADeathSayWhy) {
  options.routes.clear();
  take();
  look({.rows = {row(1)}});
  EXPECT_EQ(note_on(1, "-")->code, "TX.NO_ROUTE");
  EXPECT_EQ(note_on(1, "-")->error, parked(1, "-").last_error);
  EXPECT_EQ(note_on(1, "-")->owner, lane().owner());
}

TEST_F(LaneNotes, OfARequestSayWhoCarriedItOut) {
  send_first({row(1)});
  kill(1);
  exchange({.requests = {asked(RequestKind::replay, 1)}});
  EXPECT_EQ(note_on(1)->outcome, "replayed");
  EXPECT_EQ(note_on(1)->owner, lane().owner());
  EXPECT_EQ(note_on(1)->error, "");
}

TEST_F(LaneNotes, KeepTheBeginningOfALongError) {
  send_first({row(1)});
  answers(1, Outcome::retry("X", std::string(199, 'e') + "öö and so on"));
  exchange();
  EXPECT_EQ(note_on(1)->error, std::string(199, 'e')) << "no character is cut";
  EXPECT_GT(parked(1).last_error.size(), 200U);
}

TEST_F(LaneNotes, NeverQuoteThePayload) {
  const std::string secret = R"({"card":"4111 1111 1111 1111"})";
  options.routes.push_back({"makegood.*", "fn:a"});
  send_first({row(1).with_content(secret)});
  answers(1, Outcome::fail(secret, "cannot read " + secret + " here"));
  exchange();
  EXPECT_EQ(parked(1).last_error, "cannot read [payload] here");
  EXPECT_EQ(parked(1).error_code, "[payload]");
  EXPECT_EQ(note_on(1)->error, "cannot read [payload] here");
  EXPECT_EQ(lane().take_settled().at(0).detail, "cannot read [payload] here");
  ASSERT_EQ(turn().messages.size(), 1U);
  EXPECT_EQ(turn().messages[0].payload.find("4111"), std::string::npos) << turn().messages[0].payload;
}

TEST_F(LaneNotes, OfADestinationThatIsGoneDoNotQuoteThePayloadEither) {
  const std::string secret = R"({"card":"4111 1111 1111 1111"})";
  send_first({row(1).with_content(secret)});
  answers(1, Outcome::gone("HTTP.410", "no " + secret));
  exchange();
  EXPECT_EQ(turn().position.sides.at(0).because, "It said that it is gone (HTTP.410). no [payload]");
}

TEST(ErrorText, BeginsWithAsMuchAsANoteHolds) {
  EXPECT_EQ(beginning_of("short"), "short");
  EXPECT_EQ(beginning_of(std::string(200, 'x')).size(), 200U);
  EXPECT_EQ(beginning_of(std::string(201, 'x')).size(), 200U);
  EXPECT_EQ(beginning_of(std::string(198, 'x') + "ö").size(), 200U);
  EXPECT_EQ(beginning_of(std::string(199, 'x') + "ö").size(), 199U);
}

}  // namespace
}  // namespace makegood::core
