#include "observe/log.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/fake_clock.hpp"

namespace makegood::observe {
namespace {

class LogLines : public testing::Test {
 protected:
  Log open(LogOptions options) {
    return Log(options, line_sink([this](std::string_view line) { lines_.emplace_back(line); }), clock_);
  }
  /// The line that one event with one field makes.
  std::string line_of(LogFormat format, const Field& field) {
    lines_.clear();
    open({.format = format}).write(LogLevel::info, "m", {field});
    return lines_.at(0);
  }

  testing_support::FakeClock clock_;
  std::vector<std::string> lines_;
};

TEST_F(LogLines, AreTextForPeople) {
  clock_.advance(std::chrono::microseconds(5'678'900));
  Log log = open({});
  log.write(LogLevel::warning, "delivery retried", {{"table", "makegood_outbox"}, {"sequence", 42}, {"ok", false}});
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_[0], "2024-05-17T09:00:05.678Z WARN  delivery retried  table=makegood_outbox sequence=42 ok=false");
}

TEST_F(LogLines, AreJsonForMachines) {
  Log log = open({.format = LogFormat::json});
  log.write(LogLevel::error, "delivery dead", {{"topic", "a"}, {"attempts", 3U}, {"ratio", 0.5}, {"ok", true}});
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_[0], R"({"ts":"2024-05-17T09:00:00.000Z","level":"error","msg":"delivery dead",)"
                       R"("topic":"a","attempts":3,"ratio":0.5,"ok":true})");
}

TEST_F(LogLines, AreOneLineWhateverIsInTheFields) {
  const Field nasty("topic", "a\nb \"c\" \x1b[31m");
  EXPECT_TRUE(line_of(LogFormat::text, nasty).ends_with(R"(  topic="a\nb \"c\" \u001b[31m")"));
  EXPECT_TRUE(line_of(LogFormat::json, nasty).ends_with(R"("topic":"a\nb \"c\" \u001b[31m"})"));
}

TEST_F(LogLines, QuoteTextThatCouldBeTakenForSomethingElse) {
  EXPECT_TRUE(line_of(LogFormat::text, {"k", "two words"}).ends_with(R"( k="two words")"));
  EXPECT_TRUE(line_of(LogFormat::text, {"k", "a=b"}).ends_with(R"( k="a=b")"));
  EXPECT_TRUE(line_of(LogFormat::text, {"k", ""}).ends_with(R"( k="")"));
  EXPECT_TRUE(line_of(LogFormat::text, {"k", "naïve"}).ends_with(" k=naïve"));
}

TEST_F(LogLines, AreValidJsonForNumbersThatJsonDoesNotKnow) {
  EXPECT_TRUE(line_of(LogFormat::json, {"k", std::nan("")}).ends_with(R"("k":null})"));
}

TEST_F(LogLines, EndAtTheLevelThatWasChosen) {
  Log log = open({.level = LogLevel::warning});
  log.write(LogLevel::info, "quiet");
  log.write(LogLevel::warning, "loud");
  EXPECT_EQ(lines_.size(), 1U);
  EXPECT_FALSE(log.is_enabled(LogLevel::info));
  log.set_level(LogLevel::debug);
  EXPECT_TRUE(log.is_enabled(LogLevel::debug));
  log.write(LogLevel::debug, "now");
  EXPECT_EQ(lines_.size(), 2U);
}

TEST_F(LogLines, HideTheTenantWhenAsked) {
  Log log = open({.mask_tenant = true});
  log.write(LogLevel::info, "m", {{"tenant_id", "acme"}, {"topic", "t"}});
  EXPECT_TRUE(lines_.at(0).ends_with("  tenant_id=*** topic=t"));
}

TEST_F(LogLines, StayWholeWhenManyThreadsWrite) {
  Log log = open({});
  {
    std::vector<std::jthread> writers;
    writers.reserve(4);
    for (int i = 0; i < 4; ++i) {
      writers.emplace_back([&log] {
        for (int n = 0; n < 100; ++n) log.write(LogLevel::info, "m", {{"k", "v"}});
      });
    }
  }
  EXPECT_EQ(lines_.size(), 400U);
  for (const std::string& line : lines_) EXPECT_EQ(line, lines_.front());
}

TEST(LogLevel, IsReadAsItIsWritten) {
  for (const LogLevel level :
       {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error, LogLevel::critical}) {
    EXPECT_EQ(log_level_from(to_string(level)), level);
  }
  EXPECT_EQ(log_level_from("warning"), LogLevel::warning);
  EXPECT_EQ(log_level_from("loud"), std::nullopt);
  EXPECT_EQ(log_format_from("json"), LogFormat::json);
  EXPECT_EQ(log_format_from("text"), LogFormat::text);
  EXPECT_EQ(log_format_from("xml"), std::nullopt);
}

}  // namespace
}  // namespace makegood::observe
