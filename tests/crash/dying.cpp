#include "tests/crash/dying.hpp"

namespace makegood::crash {
namespace {

std::map<std::string, unsigned> count_hits(Kind kind, const Tale& tale) {
  std::map<std::string, unsigned> counts;
  Series series(kind, tale);
  EXPECT_EQ(series.run(), at_rest);
  for (const Line& line : series.lines()) {
    if (line[0] == "hit") counts[line[1]] = static_cast<unsigned>(std::stoul(line[2]));
  }
  return counts;
}

/// How often a point is passed depends a little on how long a server takes, or the participants of a saga.
unsigned certain_hits(Kind kind, const Tale& tale, std::string_view point) {
  const auto& counts = hits(kind, tale);
  const auto count = counts.find(std::string(point));
  if (count == counts.end()) return 1;
  const bool is_exact = kind == Kind::sqlite && tale.where != &Failpoint::sagas;
  return is_exact ? count->second : (count->second + 1) / 2;
}

int ended_by(Way way) { return way == Way::exit ? exit_at_failpoint : -SIGKILL; }

}  // namespace

std::vector<std::string_view> points_on(Kind kind, const Tale& tale) {
  const Where here = kind == Kind::sqlite ? Where::file : Where::server;
  std::vector<std::string_view> points;
  for (const Failpoint& point : failpoints) {
    const Where where = point.*tale.where;
    if (where == Where::anywhere || where == here) points.push_back(point.name);
  }
  return points;
}

const std::map<std::string, unsigned>& hits(Kind kind, const Tale& tale) {
  static std::map<std::pair<Kind, const Tale*>, std::map<std::string, unsigned>> counted;
  const std::pair key(kind, &tale);
  if (!counted.contains(key)) counted[key] = count_hits(kind, tale);
  return counted[key];
}

Blow DyingTest::blow_at(Kind kind, std::string_view point, Way way) {
  const unsigned hit = 1 + static_cast<unsigned>(random_()) % certain_hits(kind, tale_, point);
  return {.point = std::string(point), .hit = hit, .way = way};
}

void DyingTest::die(Kind kind, const std::vector<Blow>& blows) {
  Series series(kind, tale_);
  std::string story;
  for (const Blow& blow : blows) {
    story += blow.point + " #" + std::to_string(blow.hit) + ", ";
    SCOPED_TRACE(story);
    ASSERT_EQ(series.run({.blow = blow}), ended_by(blow.way));
    EXPECT_EQ(check_crashed(series.place()), Violations());
  }
  SCOPED_TRACE(story);
  ASSERT_EQ(series.run_last(), at_rest);
  EXPECT_EQ(series.audit(), Violations());
}

void DyingTest::die_at_each_call(unsigned step) {
  unsigned calls = 1 + static_cast<unsigned>(random_()) % step;
  for (;; calls += step) {
    SCOPED_TRACE("call " + std::to_string(calls));
    Series series(Kind::postgres, tale_);
    const int ending = series.run({.blow = {.point = std::string(any_call), .hit = calls}});
    EXPECT_EQ(check_crashed(series.place()), Violations());
    ASSERT_EQ(series.run_last(), at_rest);
    EXPECT_EQ(series.audit(), Violations());
    if (ending == at_rest) break;
    ASSERT_EQ(ending, -SIGKILL);
  }
  testing::Test::RecordProperty("calls_max", static_cast<int>(calls));
  EXPECT_GT(calls, step) << "a loop in which nothing happened shows nothing";
}

}  // namespace makegood::crash
