#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "daemon/doorbell_socket.hpp"
#include "makegood/dispatcher.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood::daemon {
namespace {

class DoorbellTest : public testing::Test {
 protected:
  testing_support::TemporaryFolder folder_;
  const std::string path_ = folder_.file("bell");
};

TEST_F(DoorbellTest, IsHeardOnceHoweverOftenItWasRung) {
  const auto socket = DoorbellSocket::open(path_);
  ASSERT_TRUE(socket);
  EXPECT_FALSE(socket->was_rung());
  const Doorbell bell(path_);
  for (int count = 0; count < 10'000; ++count) bell.ring();
  EXPECT_TRUE(socket->was_rung());
  EXPECT_FALSE(socket->was_rung());
}

TEST_F(DoorbellTest, RingsInVainWhereNobodyListens) {
  const Doorbell bell(path_);
  bell.ring();
  Doorbell(folder_.file(std::string(200, 'x'))).ring();
  const auto socket = DoorbellSocket::open(path_);
  ASSERT_TRUE(socket);
  bell.ring();
  EXPECT_TRUE(socket->was_rung()) << "the same bell, when somebody has come";
}

TEST_F(DoorbellTest, TakesThePlaceOfOneThatWasLeftBehind) {
  {
    auto killed = DoorbellSocket::open(path_);
    ASSERT_TRUE(killed);
    std::filesystem::create_hard_link(path_, folder_.file("kept"));
  }
  std::filesystem::rename(folder_.file("kept"), path_);
  const auto socket = DoorbellSocket::open(path_);
  ASSERT_TRUE(socket);
  Doorbell(path_).ring();
  EXPECT_TRUE(socket->was_rung());
}

TEST_F(DoorbellTest, RefusesAPlaceThatIsTaken) {
  const auto first = DoorbellSocket::open(path_);
  ASSERT_TRUE(first);
  EXPECT_EQ(DoorbellSocket::open(path_).error().code, Errc::config_invalid);
  const std::string file = folder_.file("file");
  std::ofstream(file) << "precious";
  EXPECT_FALSE(DoorbellSocket::open(file));
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_FALSE(DoorbellSocket::open(folder_.file("no/such/folder")));
  EXPECT_FALSE(DoorbellSocket::open(folder_.file(std::string(200, 'x'))));
}

TEST_F(DoorbellTest, LeavesNothingBehind) {
  {
    const auto socket = DoorbellSocket::open(path_);
    ASSERT_TRUE(socket);
    ASSERT_TRUE(std::filesystem::exists(path_));
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace makegood::daemon
