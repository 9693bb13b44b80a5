#include "config/check.hpp"

#include <gtest/gtest.h>

#include "tests/unit/config/sources.hpp"

namespace makegood::config {
namespace {

Lines warnings_in(const std::string& yaml) { return lines_of(load_yaml(yaml).findings.warnings); }

TEST(Check, RefusesACapBelowItsBase) {
  EXPECT_EQ(mistakes_in("tx.outbox.backoff: {base_ms: 5000, cap_ms: 1000}\n"),
            (Lines{"makegood.yaml:1: tx.outbox.backoff.cap_ms '1000' is below tx.outbox.backoff.base_ms; "
                   "allowed: 5000 or more"}));
}

TEST(Check, RefusesProbesThatWouldComeCloserAndCloser) {
  EXPECT_EQ(mistakes_in("tx.outbox.circuit: {wait_min_ms: 5000, wait_max_ms: 1000}\n"),
            (Lines{"makegood.yaml:1: tx.outbox.circuit.wait_max_ms '1000' is below tx.outbox.circuit.wait_min_ms; "
                   "allowed: 5000 or more"}));
}

TEST(Check, DoesNotJudgeAValueByOneThatIsWrong) {
  EXPECT_EQ(mistakes_in("tx.outbox.backoff:\n  base_ms: none\n  cap_ms: 100\n").size(), 1U);
}

TEST(Check, WarnsOfKeysThatAreForgottenBeforeTheLastRetry) {
  const Lines warnings = warnings_in("tx.idempo: {ttl_ms: 60000}\n");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings.front().find("tx.idempo.ttl_ms"), std::string::npos) << warnings.front();
  EXPECT_NE(warnings.front().find("use 933s or more"), std::string::npos) << warnings.front();
  EXPECT_EQ(warnings_in("tx.idempo: {ttl_ms: 933000}\n"), Lines{});
}

TEST(Check, WarnsOfAnInboxThatForgetsBeforeTheLastRetry) {
  EXPECT_EQ(warnings_in("tx.inbox: {retention_ms: 60000}\n").size(), 1U);
}

TEST(Check, RefusesALeaseAboveTheTimeOfItsKey) {
  EXPECT_EQ(mistakes_in("tx.idempo: {ttl_ms: 1000000, lease_ms: 1000001}\n").size(), 1U);
}

TEST(Check, TakesEachTenantLabel) {
  for (const char* label : {"off", "top_n", "all"}) {
    EXPECT_EQ(mistakes_in(std::string("metrics.tenant_label: ") + label + "\n"), Lines{}) << label;
  }
  EXPECT_EQ(mistakes_in("metrics.tenant_label: some\n").size(), 1U);
}

TEST(Check, RefusesSchemasThatCannotBeUsed) {
  const TemporaryFolder folder;
  folder.write("bad.json", "{");
  const Loaded loaded =
      load({.file = folder.write("a.yaml", "tx.outbox.schemas:\n  a.*: none.json\n  b.*: bad.json\n")});
  ASSERT_EQ(loaded.findings.mistakes.size(), 2U);
  EXPECT_EQ(loaded.findings.mistakes[0].value, "a.*");
  EXPECT_EQ(loaded.findings.mistakes[0].problem,
            "names the file " + folder.path("none.json") + ", which cannot be read");
  EXPECT_EQ(loaded.findings.mistakes[1].value, "b.*");
}

TEST(Check, WarnsOfTheLegalButUnwise) {
  EXPECT_EQ(warnings_in("tx.outbox.window: 100\n").size(), 1U);
  EXPECT_EQ(warnings_in("tx.outbox.lease_ms: 1000\n").size(), 1U);
  EXPECT_EQ(warnings_in("tx.outbox.single_active: false\n").size(), 1U);
  EXPECT_EQ(warnings_in("tx.outbox: {schedule_ms: [1, 2], max_attempts: 9}\n").size(), 1U);
  EXPECT_EQ(warnings_in("tx.outbox.disable_after_ms: 1h\n").size(), 1U);
  EXPECT_EQ(warnings_in("cleaner: {retention: 1m}\n").size(), 1U);
  EXPECT_EQ(warnings_in("cleaner: {outboxes: other_outbox}\n").size(), 1U);
  EXPECT_EQ(warnings_in("tx.outbox.circuit.failures_max: 0\n").size(), 1U);
  EXPECT_EQ(warnings_in("tx.outbox: {parked_max: 50, held_per_key_max: 51}\n").size(), 1U);
  EXPECT_EQ(warnings_in("cleaner.dead_retention: 1h\n"),
            (Lines{"makegood.yaml:1: cleaner.dead_retention '1h' removes dead letters before anybody has seen them; "
                   "use 24h or more, or 0"}));
}

}  // namespace
}  // namespace makegood::config
