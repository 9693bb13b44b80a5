#include "transports/http/pins.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace makegood::http {
namespace {

const Address first = *parse_address("192.0.2.1");
const Address second = *parse_address("192.0.2.2");
const Address third = *parse_address("2001:db8::3");

TEST(Pins, StayWithAnAddressInWhateverOrderTheyCome) {
  Pins pins;
  EXPECT_EQ(pins.choose("a", std::vector{first, second}), first);
  EXPECT_EQ(pins.choose("a", std::vector{second, first}), first);
}

TEST(Pins, GoOnToTheNextAfterAFailureAndAroundAgain) {
  Pins pins;
  const std::vector all = {first, second, third};
  EXPECT_EQ(pins.choose("a", all), first);
  pins.failed("a", first);
  EXPECT_EQ(pins.choose("a", all), second);
  pins.failed("a", second);
  EXPECT_EQ(pins.choose("a", all), third);
  pins.failed("a", third);
  EXPECT_EQ(pins.choose("a", all), first);
}

TEST(Pins, CountTheFailuresOfOneAddressOnce) {
  Pins pins;
  const std::vector all = {first, second, third};
  EXPECT_EQ(pins.choose("a", all), first);
  pins.failed("a", first);
  EXPECT_EQ(pins.choose("a", all), second);
  pins.failed("a", first);  // Somebody else who had tried it at the same time.
  EXPECT_EQ(pins.choose("a", all), second);
}

TEST(Pins, LeaveAnAddressThatTheNameNoLongerHas) {
  Pins pins;
  EXPECT_EQ(pins.choose("a", std::vector{first, second}), first);
  EXPECT_EQ(pins.choose("a", std::vector{second, third}), second);
}

TEST(Pins, AreEachHostsOwn) {
  Pins pins;
  const std::vector all = {first, second};
  EXPECT_EQ(pins.choose("a", all), first);
  EXPECT_EQ(pins.choose("b", all), first);
  pins.failed("a", first);
  EXPECT_EQ(pins.choose("b", all), first);
}

}  // namespace
}  // namespace makegood::http
