#include "makegood/id.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "makegood/clock.hpp"
#include "tests/support/fake_clock.hpp"

namespace makegood {
namespace {

using testing_support::FakeClock;

constexpr std::string_view crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

struct Kind {
  std::string name;
  std::string (*draw)();
};

class Id : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Id, testing::Values(Kind{"Ulid", new_ulid}, Kind{"Uuid7", new_uuid7}),
                         [](const auto& kind) { return kind.param.name; });

std::vector<std::string> draw_many(std::string (*draw)(), std::size_t count) {
  std::vector<std::string> ids(count);
  std::ranges::generate(ids, draw);
  return ids;
}

bool rises_strictly(const std::vector<std::string>& ids) {
  return std::ranges::adjacent_find(ids, std::greater_equal<>()) == ids.end();
}

TEST_P(Id, RisesStrictlyEvenWithinOneMillisecond) { EXPECT_TRUE(rises_strictly(draw_many(GetParam().draw, 20'000))); }

TEST_P(Id, IsNeverDrawnTwiceByManyThreads) {
  constexpr std::size_t thread_count = 8;
  constexpr std::size_t ids_per_thread = 2'000;
  std::vector<std::vector<std::string>> drawn(thread_count);
  {
    std::vector<std::jthread> threads;
    threads.reserve(thread_count);
    for (auto& ids : drawn) {
      threads.emplace_back([&ids] { ids = draw_many(GetParam().draw, ids_per_thread); });
    }
  }
  std::vector<std::string> all;
  for (const auto& ids : drawn) {
    EXPECT_TRUE(rises_strictly(ids));
    all.insert(all.end(), ids.begin(), ids.end());
  }
  std::ranges::sort(all);
  EXPECT_EQ(all.size(), thread_count * ids_per_thread);
  EXPECT_TRUE(rises_strictly(all));
}

std::int64_t milliseconds_of_ulid(const std::string& ulid) {
  std::int64_t milliseconds = 0;
  for (const char digit : ulid.substr(0, 10)) {
    milliseconds = milliseconds * 32 + static_cast<std::int64_t>(crockford.find(digit));
  }
  return milliseconds;
}

std::int64_t milliseconds_of_uuid7(const std::string& uuid) {
  return std::stoll(uuid.substr(0, 8) + uuid.substr(9, 4), nullptr, 16);
}

/// Counting up may borrow from the future when the random bits run out, so a little is allowed on the right.
void expect_is_now(std::int64_t milliseconds, std::int64_t before) {
  EXPECT_GE(milliseconds, before);
  EXPECT_LE(milliseconds, to_milliseconds(system_clock().now()) + 1);
}

TEST(Ulid, IsTwentySixDigitsThatBeginWithTheTime) {
  const auto before = to_milliseconds(system_clock().now());
  const std::string ulid = new_ulid();
  EXPECT_EQ(ulid.size(), 26U);
  EXPECT_EQ(ulid.find_first_not_of(crockford), std::string::npos);
  EXPECT_TRUE(is_ulid(ulid));
  expect_is_now(milliseconds_of_ulid(ulid), before);
}

TEST(Uuid7, HasItsVersionItsVariantAndTheTime) {
  const auto before = to_milliseconds(system_clock().now());
  const std::string uuid = new_uuid7();
  EXPECT_TRUE(is_uuid(uuid));
  EXPECT_EQ(uuid[14], '7');
  EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
  expect_is_now(milliseconds_of_uuid7(uuid), before);
}

TEST(Ids, OfTheSameClockAndSeedAreTheSame) {
  const FakeClock clock;
  Ids one(clock, 7);
  Ids same(clock, 7);
  Ids other(clock, 8);
  const std::string uuid = one.new_uuid7();
  EXPECT_EQ(same.new_uuid7(), uuid);
  EXPECT_NE(other.new_uuid7(), uuid);
  EXPECT_EQ(same.new_ulid(), one.new_ulid());
}

TEST(Ids, RiseWhenTheClockGoesBack) {
  FakeClock clock;
  Ids ids(clock, 7);
  const std::string ulid = ids.new_ulid();
  const std::string uuid = ids.new_uuid7();
  clock.shift_wall(-std::chrono::hours(1));
  EXPECT_GT(ids.new_ulid(), ulid);
  EXPECT_GT(ids.new_uuid7(), uuid);
}

TEST(Uuid, IsAcceptedInAnyVersionAndCase) {
  EXPECT_TRUE(is_uuid("00000000-0000-0000-0000-000000000000"));
  EXPECT_TRUE(is_uuid("c232ab00-9414-11ec-b3c8-9f6bdeced846"));
  EXPECT_TRUE(is_uuid("919108F7-52D1-4320-9BAC-F847DB4148A8"));
  EXPECT_TRUE(is_uuid("ffffffff-ffff-ffff-ffff-ffffffffffff"));
}

TEST(Uuid, IsRefusedInAnyOtherShape) {
  EXPECT_FALSE(is_uuid(""));
  EXPECT_FALSE(is_uuid("919108f752d143209bacf847db4148a8"));
  EXPECT_FALSE(is_uuid("{919108f7-52d1-4320-9bac-f847db4148a8}"));
  EXPECT_FALSE(is_uuid("919108f7-52d1-4320-9bac-f847db4148ag"));
  EXPECT_FALSE(is_uuid("919108f7-52d1-4320-9bac-f847db4148a"));
  EXPECT_FALSE(is_uuid("919108f-752d1-4320-9bac-f847db4148a8"));
  EXPECT_FALSE(is_uuid("919108f7-52d1-4320-9bac-f847-b4148a8"));
}

TEST(Ulid, IsAcceptedInAnyCase) {
  EXPECT_TRUE(is_ulid("01ARZ3NDEKTSV4RRFFQ69G5FAV"));
  EXPECT_TRUE(is_ulid("01arz3ndektsv4rrffq69g5fav"));
  EXPECT_TRUE(is_ulid("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"));
}

TEST(Ulid, IsRefusedInAnyOtherShape) {
  EXPECT_FALSE(is_ulid(""));
  EXPECT_FALSE(is_ulid("01ARZ3NDEKTSV4RRFFQ69G5FA"));
  EXPECT_FALSE(is_ulid("01ARZ3NDEKTSV4RRFFQ69G5FAVX"));
  EXPECT_FALSE(is_ulid("01ARZ3NDEKTSV4RRFFQ69G5FAI"));
  EXPECT_FALSE(is_ulid("01ARZ3NDEKTSV4RRFFQ69G5FA-"));
  EXPECT_FALSE(is_ulid("8ZZZZZZZZZZZZZZZZZZZZZZZZZ"));
}

}  // namespace
}  // namespace makegood
