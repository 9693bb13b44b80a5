// Sagas that move money, in a process that dies at each point of each durable step: whatever is cut short, a transfer
// has all of its effects in the end, or none.
#include <algorithm>

#include "tests/crash/dying.hpp"

namespace makegood::crash {
namespace {

class SagaFailpoints : public DyingTest, public testing::WithParamInterface<Kind> {
 protected:
  SagaFailpoints() : DyingTest(tale_of_sagas) {}

  /// Tables are made once, and a version of a definition is put once: a row begins with them.
  static int place_in_a_row(std::string_view point) {
    if (point.starts_with("migrate.")) return 1;
    return point.starts_with("define.") ? 2 : 3;
  }
  std::vector<std::vector<Blow>> rows() {
    auto points = points_on(GetParam(), tale_of_sagas);
    std::ranges::shuffle(points, random_);
    std::ranges::stable_sort(points, {}, place_in_a_row);
    const auto count = static_cast<std::size_t>(std::ranges::count(points, 1, place_in_a_row));
    std::vector<std::vector<Blow>> rows(count);
    for (std::size_t i = 0; i < points.size(); ++i) rows[i % count].push_back(blow_at(GetParam(), points[i]));
    return rows;
  }
};

TEST_P(SagaFailpoints, AreAllPassedByTheStory) {
  for (const std::string_view point : points_on(GetParam(), tale_of_sagas)) {
    EXPECT_TRUE(hits(GetParam(), tale_of_sagas).contains(std::string(point))) << point;
  }
}

TEST_P(SagaFailpoints, MayEndALifeInARowOfLives) {
  for (const auto& row : rows()) die(GetParam(), row);
}

/// In the short form a choice of them: a server takes its time for new tables.
TEST_P(SagaFailpoints, MayEndALifeAndTheNextOneToo) {
  auto points = points_on(GetParam(), tale_of_sagas);
  std::ranges::shuffle(points, random_);
  if (!is_long_form()) points.resize(GetParam() == Kind::sqlite ? 8 : 4);
  for (const std::string_view point : points) {
    die(GetParam(), {blow_at(GetParam(), point), blow_at(GetParam(), "commit.after", Way::exit)});
  }
}

INSTANTIATE_TEST_SUITE_P(On, SagaFailpoints, testing::ValuesIn(stores()), name_of_store);

class SagaClock : public CrashTest, public testing::WithParamInterface<Kind> {
 protected:
  /// Another life follows, on the machine's time again.
  static void live(Ending (*life)(const Place&, const Life&)) {
    const Tale tale{life, audit_sagas, &Failpoint::sagas};
    Series series(GetParam(), tale);
    EXPECT_EQ(series.run(), at_rest);
    EXPECT_EQ(series.run_last(), at_rest);
    EXPECT_EQ(series.audit(), Violations());
  }
};

TEST_P(SagaClock, MayBeSetForward) { live(live_with_a_clock_set_forward); }
TEST_P(SagaClock, MayBeSetBack) { live(live_with_a_clock_set_back); }

INSTANTIATE_TEST_SUITE_P(On, SagaClock, testing::ValuesIn(stores()), name_of_store);

class EachCallOfSagas : public DyingTest {
 protected:
  EachCallOfSagas() : DyingTest(tale_of_sagas) {}
};

TEST_F(EachCallOfSagas, OfAServerMayBeTheLastThatAProcessMakes) {
  if (stores().size() == 1) GTEST_SKIP() << testing_support::no_postgres;
  die_at_each_call(is_long_form() ? 1 : 40);
}

}  // namespace
}  // namespace makegood::crash
