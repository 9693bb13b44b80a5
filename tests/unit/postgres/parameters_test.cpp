#include "stores/postgres/parameters.hpp"

#include <gtest/gtest.h>

namespace makegood::postgres {
namespace {

using namespace std::chrono_literals;

TEST(PostgresTime, GoesThereAndBackToTheMicrosecond) {
  const TimePoint time = TimePoint(1'800'000'000'123'456us);
  EXPECT_EQ(from_postgres(to_postgres(time)), time);
  EXPECT_EQ(from_postgres(to_postgres(TimePoint())), TimePoint());
  EXPECT_EQ(to_postgres(TimePoint(std::chrono::sys_days(std::chrono::year(2000) / 1 / 1))), 0);
}

TEST(PostgresTime, StaysWithinWhatPostgresKnows) {
  EXPECT_EQ(to_postgres(TimePoint::min()), -211813488000000000);
  EXPECT_LT(to_postgres(TimePoint::max()), 9223371331200000000);
  EXPECT_EQ(from_postgres(std::numeric_limits<std::int64_t>::max()), TimePoint::max()) << "infinity";
}

TEST(Parameters, PointAtTheirValuesAndTellNullFromEmpty) {
  const Parameters values(7, std::string_view(), NullIfEmpty{""}, true, Json{"{}"});
  const auto pointers = values.pointers();
  ASSERT_EQ(values.count(), 5);
  EXPECT_EQ(std::string_view(pointers.values[0], 8), std::string_view("\0\0\0\0\0\0\0\7", 8));
  EXPECT_NE(pointers.values[1], nullptr);
  EXPECT_EQ(pointers.lengths[1], 0);
  EXPECT_EQ(pointers.values[2], nullptr);
  EXPECT_EQ(*pointers.values[3], '\1');
  EXPECT_EQ(std::string_view(pointers.values[4], 2), "{}");
}

TEST(Array, HasAHeaderAndALengthBeforeEachElement) {
  Array array(Type::text);
  array.add("ab");
  array.add_null();
  const std::string expected(
      "\0\0\0\1"
      "\0\0\0\1"
      "\0\0\0\x19"
      "\0\0\0\2"
      "\0\0\0\1"
      "\0\0\0\2"
      "ab"
      "\xff\xff\xff\xff",
      30);
  EXPECT_EQ(std::move(array).encoded(), expected);
  EXPECT_EQ(Array(Type::bigint).encoded(), std::string("\0\0\0\0"
                                                       "\0\0\0\0"
                                                       "\0\0\0\x14",
                                                       12));
}

TEST(Array, KeepsNullsInTheirPlaces) {
  Array late(Type::text);
  late.add_null();
  late.add_null();
  EXPECT_TRUE(late.is_all_null());
  late.add("a");
  EXPECT_FALSE(late.is_all_null());
  late.add_null();
  const std::string bytes = std::move(late).encoded();
  EXPECT_EQ(bytes.substr(20), std::string("\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\1a\xff\xff\xff\xff", 17));
  EXPECT_EQ(bytes.substr(12, 4), std::string("\0\0\0\4", 4));
  Array nulls(Type::text);
  nulls.add_null();
  EXPECT_EQ(std::move(nulls).encoded().substr(20), "\xff\xff\xff\xff");
}

TEST(Parameters, PointAtArraysAmongOtherValues) {
  Array array(Type::bigint);
  array.add(std::int64_t{7});
  Parameters values(1, array, std::string_view("text"));
  values.set_number(0, 2);
  const Parameters::Pointers pointers = values.pointers();
  EXPECT_EQ(std::string(pointers.values[0], 8), std::string("\0\0\0\0\0\0\0\2", 8));
  EXPECT_EQ(std::string(pointers.values[1], static_cast<std::size_t>(pointers.lengths[1])), std::move(array).encoded());
  EXPECT_EQ(std::string(pointers.values[2], 4), "text");
}

}  // namespace
}  // namespace makegood::postgres
