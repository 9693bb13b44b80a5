// Each point of each durable step, a process that dies there, another that dies while it makes good, and a third that
// comes to rest.
#include <algorithm>
#include <map>

#include "tests/crash/crash_test.hpp"

namespace makegood::crash {
namespace {

/// How often a story passes each point.
std::map<std::string, unsigned> count_hits(Kind kind) {
  std::map<std::string, unsigned> counts;
  Series series(kind);
  EXPECT_EQ(series.run(), at_rest);
  for (const Line& line : series.lines()) {
    if (line[0] == "hit") counts[line[1]] = static_cast<unsigned>(std::stoul(line[2]));
  }
  return counts;
}
const std::map<std::string, unsigned>& hits(Kind kind) {
  static std::map<Kind, std::map<std::string, unsigned>> counted;
  if (!counted.contains(kind)) counted[kind] = count_hits(kind);
  return counted[kind];
}

std::vector<std::string_view> points_on(Kind kind) {
  const Where elsewhere = kind == Kind::sqlite ? Where::server : Where::file;
  std::vector<std::string_view> points;
  for (const auto& [name, where] : failpoints) {
    if (where != elsewhere) points.push_back(name);
  }
  return points;
}

/// What the next process does first.
bool is_recovery(std::string_view point) {
  constexpr std::array steps = std::to_array<std::string_view>({"take", "look", "commit", "send"});
  // Cleaning comes later, and only then is a turn of a server's seen before it is committed.
  return point != "commit.appended" && std::ranges::find(steps, point.substr(0, point.find('.'))) != steps.end();
}

int ended_by(Way way) { return way == Way::exit ? exit_at_failpoint : -SIGKILL; }

struct Cell {
  Kind kind;
  std::string_view point;
  Way way;
};

std::ostream& operator<<(std::ostream& out, const Cell& cell) { return out << cell.kind << " " << cell.point; }

/// To a server all ways to die are the same: the connection ends. It also takes its time for new tables, so in the
/// short form its points are left to those who die in a row.
std::vector<Cell> cells() {
  std::vector<Cell> cells;
  for (const Kind kind : stores()) {
    if (kind != Kind::sqlite && !is_long_form()) continue;
    for (const std::string_view point : points_on(kind)) {
      if (kind == Kind::sqlite) cells.push_back({kind, point, Way::exit});
      cells.push_back({kind, point, Way::kill});
    }
  }
  return cells;
}

class Failpoints : public testing::TestWithParam<Kind> {};

TEST_P(Failpoints, AreAllPassedByTheStory) {
  for (const std::string_view point : points_on(GetParam())) {
    EXPECT_TRUE(hits(GetParam()).contains(std::string(point))) << point;
  }
}

INSTANTIATE_TEST_SUITE_P(On, Failpoints, testing::ValuesIn(stores()), name_of_store);

class DyingTest : public CrashTest {
 protected:
  /// How often a point is passed depends a little on how long a server takes.
  static unsigned certain_hits(Kind kind, std::string_view point) {
    const auto count = hits(kind).find(std::string(point));
    if (count == hits(kind).end()) return 1;
    return kind == Kind::sqlite ? count->second : (count->second + 1) / 2;
  }
  Blow blow_at(Kind kind, std::string_view point, Way way = Way::kill) {
    const unsigned hit = 1 + static_cast<unsigned>(random_()) % certain_hits(kind, point);
    return {.point = std::string(point), .hit = hit, .way = way};
  }
  /// One life after the other is cut short, on what those before it have left; the last one comes to rest.
  static void die(Kind kind, const std::vector<Blow>& blows) {
    Series series(kind);
    std::string story;
    for (const Blow& blow : blows) {
      story += blow.point + " #" + std::to_string(blow.hit) + ", ";
      SCOPED_TRACE(story);
      ASSERT_EQ(series.run({.blow = blow}), ended_by(blow.way));
      EXPECT_EQ(check_crashed(series.place()), Violations());
    }
    SCOPED_TRACE(story);
    ASSERT_EQ(series.run_last(), at_rest);
    EXPECT_EQ(audit(series.place()), Violations());
  }
};

class EachFailpoint : public DyingTest, public testing::WithParamInterface<Cell> {};

TEST_P(EachFailpoint, LosesNothingAndBreaksNoPromise) {
  const Cell& cell = GetParam();
  auto seconds = points_on(cell.kind);
  std::erase_if(seconds, [](std::string_view point) { return !is_recovery(point); });
  std::ranges::shuffle(seconds, random_);
  if (!is_long_form()) seconds.resize(1);
  for (const std::string_view second : seconds) {
    die(cell.kind, {blow_at(cell.kind, cell.point, cell.way), {.point = std::string(second), .way = cell.way}});
  }
}

std::string name_of(const testing::TestParamInfo<Cell>& info) {
  std::string name(info.param.point);
  std::ranges::replace(name, '.', '_');
  return to_string(info.param.kind) + "_" + name + (info.param.way == Way::exit ? "_exit" : "_kill");
}

INSTANTIATE_TEST_SUITE_P(On, EachFailpoint, testing::ValuesIn(cells()), name_of);

bool is_migration(std::string_view point) { return point.starts_with("migrate."); }

/// Tables are made once. And a producer that dies leaves numbers which a server's lane has to keep open for a moment:
/// nothing above them is cleaned.
int place_in_a_row(std::string_view point) {
  if (is_migration(point)) return 1;
  return point.starts_with("prune.") ? 2 : 3;
}

/// All points, each once: in as many rows as there are points of the migration, with which a row begins.
class DeathsInARow : public DyingTest, public testing::WithParamInterface<Kind> {
 protected:
  std::vector<std::vector<Blow>> rows() {
    auto points = points_on(GetParam());
    std::ranges::shuffle(points, random_);
    std::ranges::stable_sort(points, {}, place_in_a_row);
    const auto count = static_cast<std::size_t>(std::ranges::count_if(points, is_migration));
    std::vector<std::vector<Blow>> rows(count);
    for (std::size_t i = 0; i < points.size(); ++i) rows[i % count].push_back(blow_at(GetParam(), points[i]));
    return rows;
  }
};

TEST_P(DeathsInARow, LoseNothingAndBreakNoPromise) {
  for (const auto& row : rows()) die(GetParam(), row);
}

INSTANTIATE_TEST_SUITE_P(On, DeathsInARow, testing::ValuesIn(stores()), name_of_store);

/// The first call of the server, the second, the third … until a whole life was not cut short.
class EachCall : public CrashTest {};

TEST_F(EachCall, OfAServerMayBeTheLastThatAProcessMakes) {
  if (stores().size() == 1) GTEST_SKIP() << testing_support::no_postgres;
  const unsigned step = is_long_form() ? 1 : 20;
  unsigned calls = 1 + static_cast<unsigned>(random_()) % step;
  for (;; calls += step) {
    SCOPED_TRACE("call " + std::to_string(calls));
    Series series(Kind::postgres);
    const int ending = series.run({.blow = {.point = std::string(any_call), .hit = calls}});
    EXPECT_EQ(check_crashed(series.place()), Violations());
    ASSERT_EQ(series.run_last(), at_rest);
    EXPECT_EQ(audit(series.place()), Violations());
    if (ending == at_rest) break;
    ASSERT_EQ(ending, -SIGKILL);
  }
  RecordProperty("calls_max", static_cast<int>(calls));
  EXPECT_GT(calls, step) << "a loop in which nothing happened shows nothing";
}

}  // namespace
}  // namespace makegood::crash
