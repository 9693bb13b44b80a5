#include <gtest/gtest.h>

#include "transports/http/answer.hpp"

namespace makegood::http {
namespace {

using namespace std::chrono_literals;

/// Tue, 14 Nov 2023 22:13:20 GMT.
constexpr TimePoint now = from_milliseconds(1'700'000'000'000);

TEST(RetryAfter, IsANumberOfSeconds) {
  EXPECT_EQ(parse_retry_after("1", now), 1s);
  EXPECT_EQ(parse_retry_after("120", now), 120s);
  EXPECT_EQ(parse_retry_after("  120\t", now), 120s);
  EXPECT_EQ(parse_retry_after("00060", now), 60s);
}

TEST(RetryAfter, IsADateInEachOfTheThreeFormsOfHttp) {
  EXPECT_EQ(parse_retry_after("Tue, 14 Nov 2023 22:14:20 GMT", now), 60s);
  EXPECT_EQ(parse_retry_after("Tuesday, 14-Nov-23 22:14:20 GMT", now), 60s);
  EXPECT_EQ(parse_retry_after("Tue Nov 14 22:14:20 2023", now), 60s);
}

TEST(RetryAfter, IsIgnoredWhenItIsOver) {
  EXPECT_EQ(parse_retry_after("0", now), std::nullopt);
  EXPECT_EQ(parse_retry_after("Tue, 14 Nov 2023 22:13:20 GMT", now), std::nullopt);
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now), std::nullopt);
}

TEST(RetryAfter, IsIgnoredWhenItIsNeither) {
  for (const char* text : {"", " ", "-1", "+5", "1.5", "1e3", "0x10", "5 s", "soon", "Mon", "12:30",
                           "tomorrow 10:00:00", "Tue, 99 Foo 2023 22:14:20 GMT", "Tue, 14 Nov 2023", "NaN", "५"}) {
    EXPECT_EQ(parse_retry_after(text, now), std::nullopt) << text;
  }
}

TEST(RetryAfter, IsAtMostAYearHoweverAbsurd) {
  EXPECT_EQ(parse_retry_after("31536001", now), retry_after_max);
  EXPECT_EQ(parse_retry_after("9223372036854775807", now), retry_after_max);
  EXPECT_EQ(parse_retry_after("9223372036854775808", now), retry_after_max);
  EXPECT_EQ(parse_retry_after(std::string(4000, '9'), now), retry_after_max);
  EXPECT_EQ(parse_retry_after("Fri, 31 Dec 9999 23:59:59 GMT", now), retry_after_max);
}

TEST(RetryAfter, HoldsForAClockAtItsLimits) {
  EXPECT_EQ(parse_retry_after("Fri, 31 Dec 9999 23:59:59 GMT", TimePoint::max()), std::nullopt);
  EXPECT_EQ(parse_retry_after("Fri, 31 Dec 9999 23:59:59 GMT", TimePoint::min()), retry_after_max);
}

}  // namespace
}  // namespace makegood::http
