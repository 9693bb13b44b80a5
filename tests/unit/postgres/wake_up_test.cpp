// The server tells of commits, where that is turned on; no commit goes unseen, and not each one rings.
#include <poll.h>

#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

class WakeUpCall : public PostgresTest {
 protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped()) return;
    app().run("SELECT " + outbox() + "_wake_up(true)");
    value_of(store().take("a", lease, {}));
    rest();
  }
  /// Until the store sleeps.
  void rest() {
    ASSERT_TRUE(becomes_true([&] {
      look(0);
      return !store().has_changed() && sleepers() == "1";
    }));
  }
  std::string sleepers() {
    return app().run(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND objid = '" +
        outbox() + "'::regclass::oid");
  }
  bool is_rung(std::chrono::milliseconds within) {
    pollfd sign{.fd = store().change_descriptor(), .events = POLLIN, .revents = 0};
    return poll(&sign, 1, static_cast<int>(within.count())) == 1;
  }
};

TEST_F(WakeUpCall, ACommitRings) {
  insert("m1");
  EXPECT_TRUE(is_rung(5s));
  EXPECT_TRUE(store().has_changed());
  EXPECT_TRUE(store().has_changed()) << "until the next look";
  EXPECT_EQ(look(0).rows.size(), 1U);
  EXPECT_FALSE(store().has_changed());
}

TEST_F(WakeUpCall, ATransactionRingsWhenItCommits) {
  app().run("BEGIN");
  insert("m1");
  EXPECT_FALSE(is_rung(50ms));
  app().run("COMMIT");
  EXPECT_TRUE(is_rung(5s));
}

TEST_F(WakeUpCall, ARequestRings) {
  value_of(value_of(open_outbox_view(url(), outbox()))
               ->request({.sequence = 1, .destination = "fn:a", .operator_name = "o"}));
  EXPECT_TRUE(is_rung(5s));
}

TEST_F(WakeUpCall, NobodyFallsAsleepWhileSomebodyIsAboutToCommitSilently) {
  const auto other = open();
  value_of(other->take("b", lease, "a"));
  value_of(other->look(all_beyond(0)));
  app().run(
      "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted AND mode = "
      "'ExclusiveLock' AND objid = '" +
      outbox() + "'::regclass::oid");  // The first store's sleep.
  PostgresClient slow(url());
  ASSERT_TRUE(becomes_true([&] {
    return app().run("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = '" + outbox() +
                     "'::regclass::oid") == "0";
  }));
  slow.run("BEGIN");
  insert(slow, "m1");  // Found nobody asleep.
  EXPECT_FALSE(other->has_changed());
  EXPECT_EQ(other->change_descriptor(), -1) << "it has to be asked often";
  slow.run("COMMIT");
  EXPECT_TRUE(other->has_changed());
  value_of(other->look(all_beyond(0)));
  EXPECT_FALSE(other->has_changed());
  EXPECT_GE(other->change_descriptor(), 0);
}

TEST_F(WakeUpCall, ManyCommitsWakeItForGood) {  // Each would take the server's lock for NOTIFY.
  const PostgresClient client(url());
  client.run("SET synchronous_commit = off");
  ASSERT_EQ(sleepers(), "1");
  std::string commits;  // In one go, or a slow machine has too few of them in a moment.
  for (int count = 0; count < 100; ++count) {
    commits += "BEGIN; INSERT INTO " + outbox() + " (topic, payload) VALUES ('t', '1'); COMMIT;";
  }
  EXPECT_TRUE(becomes_true([&] {
    client.run(commits);
    store().has_changed();
    look(0);
    return sleepers() == "0";
  }));
}

TEST_F(WakeUpCall, WithoutTheTriggerNobodySleeps) {
  app().run("SELECT " + outbox() + "_wake_up(false)");
  const auto other = open();
  value_of(other->take("b", lease, "a"));
  value_of(other->look(all_beyond(0)));
  EXPECT_FALSE(other->has_changed());
  EXPECT_EQ(other->change_descriptor(), -1) << "so it is asked now and then";
}

TEST_F(WakeUpCall, ALostListenerIsNoHarm) {
  app().run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%makegood%' OR query LIKE "
      "'SELECT pg_try_advisory_lock%'");
  insert("m1");
  EXPECT_TRUE(becomes_true([&] { return store().has_changed(); }));
  EXPECT_EQ(look(0).rows.size(), 1U);
  EXPECT_TRUE(becomes_true([&] { return !store().has_changed() && sleepers() == "0"; }));
}

}  // namespace
}  // namespace makegood::postgres
