// The zoo itself: what it tells, and that nothing of it is left over.
#include "tests/zoo/zoo.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/zoo/control.hpp"

namespace makegood::testing_support {
namespace {

std::string origin_of(const std::string& url) { return url.substr(0, url.rfind('/')); }

TEST(ZooFixture, TellsWhatAnAnimalReceivedAndForgetsItWhenAsked) {
  Zoo zoo;
  ask_control(origin_of(zoo.url("ok")), "GET", "/some/path");
  const Visits visits = zoo.visits("ok");
  ASSERT_EQ(visits.count, 1U);
  EXPECT_EQ(visits.connections, 1U);
  EXPECT_EQ(visits.requests[0].method, "GET");
  EXPECT_EQ(visits.requests[0].path, "/some/path");
  EXPECT_EQ(visits.requests[0].headers.at("host"), "zoo");
  EXPECT_EQ(zoo.visits("status-500").count, 0U);
  zoo.reset();
  EXPECT_EQ(zoo.visits("ok").count, 0U);
}

TEST(ZooFixture, LeavesNothingBehind) {
  std::string url;
  std::string file;
  {
    const Zoo zoo;
    url = zoo.url("ok");
    file = zoo.file("ca");
    EXPECT_TRUE(std::filesystem::exists(file));
  }
  EXPECT_THROW(ask_control(origin_of(url), "GET", "/"), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace makegood::testing_support
