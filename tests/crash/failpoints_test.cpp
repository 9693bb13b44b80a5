// Each point of each durable step, a process that dies there, another that dies while it makes good, and a third that
// comes to rest.
#include <algorithm>

#include "tests/crash/dying.hpp"

namespace makegood::crash {
namespace {

/// What the next process does first.
bool is_recovery(std::string_view point) {
  constexpr std::array steps = std::to_array<std::string_view>({"take", "look", "commit", "send"});
  // Cleaning comes later, and only then is a turn of a server's seen before it is committed.
  return point != "commit.appended" && std::ranges::find(steps, point.substr(0, point.find('.'))) != steps.end();
}

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
    for (const std::string_view point : points_on(kind, tale_of_messages)) {
      if (kind == Kind::sqlite) cells.push_back({kind, point, Way::exit});
      cells.push_back({kind, point, Way::kill});
    }
  }
  return cells;
}

class Failpoints : public testing::TestWithParam<Kind> {};

TEST_P(Failpoints, AreAllPassedByTheStory) {
  for (const std::string_view point : points_on(GetParam(), tale_of_messages)) {
    EXPECT_TRUE(hits(GetParam(), tale_of_messages).contains(std::string(point))) << point;
  }
}

INSTANTIATE_TEST_SUITE_P(On, Failpoints, testing::ValuesIn(stores()), name_of_store);

class OfMessages : public DyingTest {
 protected:
  OfMessages() : DyingTest(tale_of_messages) {}
};

class EachFailpoint : public OfMessages, public testing::WithParamInterface<Cell> {};

TEST_P(EachFailpoint, LosesNothingAndBreaksNoPromise) {
  const Cell& cell = GetParam();
  auto seconds = points_on(cell.kind, tale_of_messages);
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
class DeathsInARow : public OfMessages, public testing::WithParamInterface<Kind> {
 protected:
  std::vector<std::vector<Blow>> rows() {
    auto points = points_on(GetParam(), tale_of_messages);
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

class EachCall : public OfMessages {};

TEST_F(EachCall, OfAServerMayBeTheLastThatAProcessMakes) {
  if (stores().size() == 1) GTEST_SKIP() << testing_support::no_postgres;
  die_at_each_call(is_long_form() ? 1 : 20);
}

}  // namespace
}  // namespace makegood::crash
