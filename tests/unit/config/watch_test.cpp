// Each event is made before it is awaited, so nothing here depends on time; the timeouts only end a failing run.
#include "config/watch.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>

#include "tests/unit/config/sources.hpp"

namespace makegood::config {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class WatchedFile : public testing::Test {
 protected:
  void SetUp() override {
    Result<Watch> opened = Watch::open(file_);
    ASSERT_TRUE(opened) << opened.error().diagnostics;
    watch_.emplace(std::move(*opened));
    ASSERT_EQ(watch_->poll(), std::nullopt);
  }

  const TemporaryFolder folder_;
  const std::string file_ = folder_.write("a.yaml", "log.level: info\n");
  std::optional<Watch> watch_;
};

TEST_F(WatchedFile, NoticesAWriteInPlace) {
  folder_.write("a.yaml", "log.level: debug\n");
  EXPECT_EQ(watch_->wait(10s), Trigger::file);
  EXPECT_EQ(watch_->poll(), std::nullopt);
}

TEST_F(WatchedFile, NoticesAnEditorThatPutsANewFileInItsPlace) {
  fs::rename(folder_.write("a.yaml.new", "log.level: debug\n"), file_);
  EXPECT_EQ(watch_->wait(10s), Trigger::file);
}

TEST_F(WatchedFile, NoticesAnEditorThatRemovesTheFileFirst) {
  fs::remove(file_);
  EXPECT_EQ(watch_->poll(), std::nullopt);
  folder_.write("a.yaml", "log.level: debug\n");
  EXPECT_EQ(watch_->wait(10s), Trigger::file);
}

TEST_F(WatchedFile, WaitsUntilANewFileIsComplete) {
  fs::remove(file_);
  std::ofstream unfinished(file_);
  unfinished << "log." << std::flush;
  EXPECT_EQ(watch_->poll(), std::nullopt);
  unfinished << "level: debug\n";
  unfinished.close();
  EXPECT_EQ(watch_->wait(10s), Trigger::file);
}

TEST_F(WatchedFile, IgnoresItsNeighbours) {
  folder_.write("b.yaml", "log.level: debug\n");
  EXPECT_EQ(watch_->poll(), std::nullopt);
}

TEST_F(WatchedFile, NoticesSighup) {
  ASSERT_EQ(::kill(::getpid(), SIGHUP), 0);
  EXPECT_EQ(watch_->wait(10s), Trigger::signal);
}

TEST_F(WatchedFile, HasADescriptorThatTellsWhenToPoll) {
  pollfd waited = {.fd = watch_->descriptor(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&waited, 1, 0), 0);
  folder_.write("a.yaml", "log.level: debug\n");
  EXPECT_EQ(::poll(&waited, 1, 10'000), 1);
  EXPECT_EQ(watch_->poll(), Trigger::file);
  EXPECT_EQ(::poll(&waited, 1, 0), 0);
}

TEST_F(WatchedFile, GivesUpAtTheTimeout) { EXPECT_EQ(watch_->wait(1ms), std::nullopt); }

/// As Kubernetes mounts a ConfigMap: a.yaml → ..data/a.yaml, and ..data → a folder that is replaced as a whole.
TEST(WatchedLink, NoticesASwapOfTheFolderBehindIt) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path("..1"));
  fs::create_directory(folder.path("..2"));
  folder.write("..1/a.yaml", "log.level: info\n");
  folder.write("..2/a.yaml", "log.level: debug\n");
  fs::create_symlink("..1", folder.path("..data"));
  fs::create_symlink("..data/a.yaml", folder.path("a.yaml"));
  Result<Watch> watch = Watch::open(folder.path("a.yaml"));
  ASSERT_TRUE(watch);
  fs::create_symlink("..2", folder.path("..data_tmp"));
  EXPECT_EQ(watch->poll(), std::nullopt);
  fs::rename(folder.path("..data_tmp"), folder.path("..data"));
  EXPECT_EQ(watch->wait(10s), Trigger::file);
}

TEST(Watch, SaysWhenAFolderCannotBeWatched) {
  const Result<Watch> watch = Watch::open("/nowhere/at/all/a.yaml");
  ASSERT_FALSE(watch);
  EXPECT_EQ(watch.error().code, Errc::unavailable);
}

}  // namespace
}  // namespace makegood::config
