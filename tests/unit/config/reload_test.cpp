#include "config/reload.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/config/sources.hpp"

namespace makegood::config {
namespace {

Lines told_in(const Reload& reload) {
  Lines lines;
  for (const Told& told : describe(reload)) lines.push_back(fmt::format("{} {}", to_string(told.level), told.line));
  return lines;
}

class ReloadedFile : public testing::Test {
 protected:
  ReloadedFile() { running_ = load(sources_).config; }

  Reload after(const std::string& text) {
    folder_.write("a.yaml", text);
    return reload(sources_, running_);
  }

  const TemporaryFolder folder_;
  const Sources sources_ = {.file = folder_.write("a.yaml", "tx.outbox: {batch: 10, lease_ms: 5000, window: 50}\n")};
  Config running_;
};

TEST_F(ReloadedFile, TakesOverKeysThatMayChange) {
  const Reload reload = after("\ntx.outbox: {batch: 20, lease_ms: 5000, window: 50}\n");
  EXPECT_EQ(reload.config.outbox.limits.batch_rows_max, 20U);
  EXPECT_EQ(told_in(reload), (Lines{"info changed: tx.outbox.batch from 10 to 20"}));
  EXPECT_EQ(origin_of(reload.config, "tx.outbox.batch").line, 2);
}

TEST_F(ReloadedFile, ReturnsToTheDefaultWhenAKeyIsRemoved) {
  const Reload reload = after("tx.outbox: {lease_ms: 5000, window: 50, batch: 10}\ncleaner.enabled: false\n");
  EXPECT_FALSE(reload.config.cleaner.is_enabled);
  running_ = reload.config;
  const Reload again = after("tx.outbox: {lease_ms: 5000, window: 50, batch: 10}\n");
  EXPECT_TRUE(again.config.cleaner.is_enabled);
  EXPECT_EQ(to_string(origin_of(again.config, "cleaner.enabled")), "default");
}

TEST_F(ReloadedFile, LeavesKeysAloneThatNeedARestart) {
  const Reload reload = after("tx.outbox: {batch: 10, lease_ms: 9000, window: 50}\n");
  EXPECT_EQ(reload.config.outbox.lease, std::chrono::seconds(5));
  EXPECT_TRUE(reload.changed.empty());
  EXPECT_EQ(told_in(reload), (Lines{"warn needs a restart: tx.outbox.lease_ms from 5000 to 9000"}));
}

TEST_F(ReloadedFile, ChangesNothingWhenAnythingIsWrong) {
  const Reload reload = after("tx.outbox: {batch: 20}\nlog.level: loud\n");
  EXPECT_EQ(reload.config.outbox.limits.batch_rows_max, 10U);
  EXPECT_TRUE(reload.changed.empty());
  const Lines lines = told_in(reload);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[0].starts_with("error mistake: "));
  EXPECT_TRUE(
      lines[0].ends_with("a.yaml:2: log.level 'loud' is not one of the choices; "
                         "allowed: debug, info, warn, error or critical"));
  EXPECT_EQ(lines[1], "error nothing was changed");
}

TEST_F(ReloadedFile, ChangesNothingWhenTheFileIsGone) {
  std::filesystem::remove(*sources_.file);
  const Reload gone = reload(sources_, running_);
  EXPECT_EQ(gone.config.outbox.limits.batch_rows_max, 10U);
  EXPECT_EQ(gone.findings.mistakes.size(), 1U);
}

}  // namespace
}  // namespace makegood::config
