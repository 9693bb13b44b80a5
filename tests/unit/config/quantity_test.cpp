#include "config/quantity.hpp"

#include <gtest/gtest.h>

namespace makegood::config {
namespace {

using namespace std::chrono_literals;

TEST(Quantity, ReadsDurationsWithUnits) {
  EXPECT_EQ(parse_duration("1m"), 60s);
  EXPECT_EQ(parse_duration("168h"), 168h);
  EXPECT_EQ(parse_duration("1h30m"), 90min);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("250µs"), 250us);
  EXPECT_EQ(parse_duration("0"), 0s);
}

TEST(Quantity, RefusesDurationsWithoutAUnitOrWithASign) {
  for (const char* text : {"", "5", "-5s", "5 s", "s", "5d", "1e3s", "5s ", "nan", "inf", "99999999999999h", "5ss"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Quantity, NeverTurnsAShortDurationIntoNone) { EXPECT_EQ(parse_duration("1ns"), 1us); }

TEST(Quantity, WritesDurationsSoThatTheyCanBeReadBack) {
  EXPECT_EQ(format_duration(168h), "168h");
  EXPECT_EQ(format_duration(90s), "90s");
  EXPECT_EQ(format_duration(0s), "0");
  for (const Duration duration : {Duration(1us), Duration(1500us), Duration(25ms), Duration(61s), Duration(3601s)}) {
    EXPECT_EQ(parse_duration(format_duration(duration)), duration);
  }
}

TEST(Quantity, ReadsAndWritesSizes) {
  EXPECT_EQ(parse_bytes("4096"), 4096);
  EXPECT_EQ(parse_bytes("256KiB"), 256 * 1024);
  EXPECT_EQ(format_bytes(4U << 20U), "4MiB");
  EXPECT_EQ(format_bytes(1000), "1000");
  for (const char* text : {"", "KiB", "-1", "4MB", "4 MiB", "1.5MiB", "9223372036854775807KiB"}) {
    EXPECT_FALSE(parse_bytes(text)) << text;
  }
}

}  // namespace
}  // namespace makegood::config
