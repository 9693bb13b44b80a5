#include "transports/http/admission.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace makegood::http {
namespace {

Channel channel() { return {.target = TargetPtr(), .destination = {}}; }

/// Starts as many as it may; the others wait.
void send(Admission& admission, Channel& to, std::size_t count, MonotonicTime deadline = {}) {
  for (std::size_t i = 0; i < count; ++i) {
    if (admission.may_start(to)) {
      admission.started(to);
    } else {
      admission.wait(to, {.delivery = {}, .done = nullptr, .deadline = deadline});
    }
  }
}

void admit(Admission& admission) {
  admission.admit([&](Channel& to, const Sending&) { admission.started(to); });
}

TEST(Admission, GivesOneDestinationHalfOfThePlaces) {
  Admission admission(100);
  Channel only = channel();
  send(admission, only, 200);
  EXPECT_EQ(only.under_way, 50U);
  EXPECT_EQ(only.waiting.size(), 150U);
}

TEST(Admission, LeavesPlacesForTheHealthyWhenManyHang) {
  Admission admission(100);
  std::vector<Channel> hanging(20, channel());
  for (Channel& each : hanging) send(admission, each, 100);
  Channel healthy = channel();
  EXPECT_TRUE(admission.may_start(healthy));
}

TEST(Admission, NeverHasMoreUnderWayThanPlaces) {
  Admission admission(10);
  std::vector<Channel> many(50, channel());
  std::size_t under_way = 0;
  for (Channel& each : many) send(admission, each, 5);
  for (const Channel& each : many) under_way += each.under_way;
  EXPECT_LE(under_way, 10U);
}

TEST(Admission, LetsWaitingDestinationsStartInTurn) {
  Admission admission(16);
  Channel hog = channel();
  Channel first = channel();
  Channel second = channel();
  send(admission, hog, 20);   // 8 under way.
  send(admission, first, 9);  // 4 under way, and now they become scarce.
  send(admission, second, 9);
  EXPECT_EQ(second.under_way, 1U);
  for (int i = 0; i < 8; ++i) admission.ended(hog);
  admit(admission);
  EXPECT_GT(second.under_way, 1U);
  EXPECT_GT(hog.under_way, 0U);
  EXPECT_GE(first.under_way, 4U);
}

TEST(Admission, KeepsTheOrderOfOneDestination) {
  Admission admission(2);
  Channel only = channel();
  send(admission, only, 3);
  ASSERT_EQ(only.waiting.size(), 2U);
  admission.ended(only);
  EXPECT_FALSE(admission.may_start(only)) << "somebody has been waiting longer";
}

TEST(Admission, LetsNobodyStartUntilThereIsAPlace) {
  Admission admission(2);
  Channel only = channel();
  send(admission, only, 3);
  admit(admission);
  EXPECT_EQ(only.waiting.size(), 2U);
  admission.ended(only);
  admit(admission);
  EXPECT_EQ(only.waiting.size(), 1U);
}

TEST(Admission, GivesUpThoseWhoseTimeIsOver) {
  Admission admission(2);
  Channel only = channel();
  const MonotonicTime start;
  send(admission, only, 2, start + std::chrono::seconds(1));
  send(admission, only, 1, start + std::chrono::seconds(2));
  EXPECT_TRUE(admission.take_expired(start).empty());
  EXPECT_EQ(admission.take_expired(start + std::chrono::seconds(1)).size(), 1U);
  EXPECT_TRUE(admission.is_anybody_waiting());
  EXPECT_EQ(admission.take_expired(start + std::chrono::seconds(2)).size(), 1U);
  EXPECT_FALSE(admission.is_anybody_waiting());
}

}  // namespace
}  // namespace makegood::http
