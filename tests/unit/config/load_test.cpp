#include "config/load.hpp"

#include <gtest/gtest.h>

#include "tests/unit/config/sources.hpp"

namespace makegood::config {
namespace {

TEST(Load, WithoutAnySourceGivesTheDefaults) {
  const Loaded loaded = load({});
  EXPECT_TRUE(loaded.findings.mistakes.empty());
  EXPECT_TRUE(loaded.findings.warnings.empty());
  EXPECT_EQ(loaded.config.store.url, "sqlite:makegood.db");
  EXPECT_EQ(to_string(origin_of(loaded.config, "store.url")), "default");
}

TEST(Load, PrefersFlagsToTheEnvironmentAndThatToTheFile) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("a.yaml", "tx:\n  outbox:\n    batch: 10\n    window: 20\n    max_attempts: 3\n");
  const Config config = load({.file = file,
                              .environment = {{"MAKEGOOD_TX_OUTBOX_BATCH", "11"}, {"MAKEGOOD_TX_OUTBOX_WINDOW", "21"}},
                              .flags = {{"--set", "tx.outbox.batch", "12"}}})
                            .config;
  EXPECT_EQ(config.outbox.limits.batch_rows_max, 12U);
  EXPECT_EQ(config.outbox.limits.window_rows_max, 21U);
  EXPECT_EQ(config.outbox.destination.retry.attempts_max, 3U);
  EXPECT_EQ(to_string(origin_of(config, "tx.outbox.batch")), "flag --set");
  EXPECT_EQ(to_string(origin_of(config, "tx.outbox.window")), "environment MAKEGOOD_TX_OUTBOX_WINDOW");
  EXPECT_EQ(to_string(origin_of(config, "tx.outbox.max_attempts")), file + ":5");
}

TEST(Load, TellsAllMistakesOfAllSourcesAtOnce) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.yaml", "log:\n  level: loud\ntx:\n  outbox:\n    bacth: 1\n    window: 0\n");
  const Loaded loaded = load({.file = file,
                              .environment = {{"OUTBOX_RELAY_BATCH_SIZE", "many"}},
                              .flags = {{"--set", "tx.outbox.lease", "1s"}, {"--store", "store.url", "nothing"}}});
  EXPECT_EQ(
      lines_of(loaded.findings.mistakes),
      (Lines{"a.yaml:2: log.level 'loud' is not one of the choices; allowed: debug, info, warn, error or critical",
             "a.yaml:5: tx.outbox.bacth is not a known key; is it tx.outbox.batch?",
             "a.yaml:6: tx.outbox.window '0' is out of range; allowed: 1 to 100000",
             std::string("environment OUTBOX_RELAY_BATCH_SIZE: tx.outbox.batch 'many' is not a whole number; ") +
                 "allowed: 1 to 10000",
             "flag --set: tx.outbox.lease is not a known key; is it tx.outbox.lease_ms?",
             std::string("flag --store: store.url 'nothing' is not a URL; ") +
                 "allowed: a scheme, a colon and an address, as in sqlite:PATH or postgres://USER@HOST/DATABASE"}));
}

TEST(Load, FindsTheFileThatWasAskedForBeforeTheOneOfTheEnvironment) {
  const Environment environment = {{"MAKEGOOD_CONFIG", "b.yaml"}};
  EXPECT_EQ(find_file("a.yaml", environment), "a.yaml");
  EXPECT_EQ(find_file("", environment), "b.yaml");
  EXPECT_EQ(find_file("", {}), std::nullopt);
}

}  // namespace
}  // namespace makegood::config
