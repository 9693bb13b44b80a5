// Each point of each durable step, a process that dies there, another that dies while it makes good, and a third that
// comes to rest.
#include <algorithm>
#include <map>

#include "tests/crash/crash_test.hpp"

namespace makegood::crash {
namespace {

/// How often a story passes each point.
const std::map<std::string, unsigned>& hits() {
  static const auto counted = [] {
    std::map<std::string, unsigned> counts;
    Series series;
    EXPECT_EQ(series.run(), at_rest);
    for (const Line& line : series.lines()) {
      if (line[0] == "hit") counts[line[1]] = static_cast<unsigned>(std::stoul(line[2]));
    }
    return counts;
  }();
  return counted;
}

/// What the next process does first.
bool is_recovery(std::string_view point) {
  constexpr std::array steps = std::to_array<std::string_view>({"take", "look", "commit", "send"});
  return std::ranges::find(steps, point.substr(0, point.find('.'))) != steps.end();
}

std::vector<std::string_view> recovery_points() {
  std::vector<std::string_view> points;
  std::ranges::copy_if(failpoints, std::back_inserter(points), is_recovery);
  return points;
}

int ended_by(Way way) { return way == Way::exit ? exit_at_failpoint : -SIGKILL; }

TEST(Failpoints, AreAllPassedByTheStory) {
  for (const std::string_view point : failpoints) EXPECT_TRUE(hits().contains(std::string(point))) << point;
}

class Failpoint : public CrashTest, public testing::WithParamInterface<std::tuple<std::string_view, Way>> {
 protected:
  Blow blow_at(std::string_view point, Way way) {
    const auto count = hits().find(std::string(point));
    const unsigned hit = count == hits().end() ? 1 : 1 + static_cast<unsigned>(random_()) % count->second;
    return {.point = std::string(point), .hit = hit, .way = way};
  }
  void die_twice(const Blow& first, const Blow& second) {
    SCOPED_TRACE(first.point + " #" + std::to_string(first.hit) + ", then " + second.point);
    Series series;
    ASSERT_EQ(series.run({.blow = first}), ended_by(first.way));
    EXPECT_EQ(check_file(series.place()), Violations());
    ASSERT_EQ(series.run({.blow = second}), ended_by(second.way));
    EXPECT_EQ(check_file(series.place()), Violations());
    ASSERT_EQ(series.run_last(), at_rest);
    EXPECT_EQ(audit(series.place()), Violations());
  }
};

TEST_P(Failpoint, LosesNothingAndBreaksNoPromise) {
  const auto [point, way] = GetParam();
  auto seconds = recovery_points();
  std::ranges::shuffle(seconds, random_);
  if (!is_long_form()) seconds.resize(1);
  for (const std::string_view second : seconds) {
    die_twice(blow_at(point, way), {.point = std::string(second), .hit = 1, .way = way});
  }
}

std::string name_of(const testing::TestParamInfo<std::tuple<std::string_view, Way>>& info) {
  std::string name(std::get<0>(info.param));
  std::ranges::replace(name, '.', '_');
  return name + (std::get<1>(info.param) == Way::exit ? "_exit" : "_kill");
}

INSTANTIATE_TEST_SUITE_P(Each, Failpoint,
                         testing::Combine(testing::ValuesIn(failpoints), testing::Values(Way::exit, Way::kill)),
                         name_of);

}  // namespace
}  // namespace makegood::crash
