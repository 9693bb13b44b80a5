#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

class Incarnation : public PostgresTest {
 protected:
  void record(const std::string& change) { app().run("UPDATE " + schema().in("makegood_store") + " SET " + change); }
};

TEST_F(Incarnation, IsTheServersSystemAndTimeline) {
  const auto taken = value_of(store().take("a", lease, {}));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->incarnation, app().run("SELECT system || '-' || timeline FROM " + schema().in("makegood_store")));
  EXPECT_FALSE(value_of(is_copy(url(), outbox())));
}

TEST_F(Incarnation, ARestoredCopySendsNothingUntilItIsAdopted) {
  record("system = system - 1");
  EXPECT_EQ(code_of(store().take("a", lease, {})), Errc::store_foreign);
  EXPECT_TRUE(value_of(is_copy(url(), outbox())));
  must(adopt(url(), outbox()));
  EXPECT_TRUE(value_of(store().take("a", lease, {})));
}

TEST_F(Incarnation, APromotedStandbyGoesOn) {
  record("timeline = timeline - 1");
  const auto taken = value_of(store().take("a", lease, {}));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->incarnation, app().run("SELECT system || '-' || timeline FROM " + schema().in("makegood_store")))
      << "and its timeline is recorded";
}

TEST_F(Incarnation, AnOlderTimelineIsACopy) {
  record("timeline = timeline + 1");
  EXPECT_EQ(code_of(store().take("a", lease, {})), Errc::store_foreign);
}

}  // namespace
}  // namespace makegood::postgres
