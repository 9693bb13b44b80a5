#include "daemon/door.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "daemon/listening.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood::daemon {
namespace {

using testing_support::TemporaryFolder;

server::Address at(const std::string& host, std::uint16_t port = 7700) {
  return {.host = host, .port = port, .is_loopback = true};
}

unsigned mode_of(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777U : 0;
}

TEST(Door, IsNamedByTheAddressSoThatTwoDaemonsNeverMeet) {
  EXPECT_EQ(door_files("/d", at("127.0.0.1")).socket, "/d/7700.sock");
  EXPECT_EQ(door_files("/d", at("127.0.0.1")).token, "/d/7700.token");
  EXPECT_EQ(door_files("/d", at("0.0.0.0")).socket, "/d/7700.sock") << "it is called at 127.0.0.1";
  EXPECT_EQ(door_files("/d", at("127.0.0.2")).socket, "/d/127.0.0.2_7700.sock");
  EXPECT_EQ(door_files("/d", at("127.0.0.1", 7701)).socket, "/d/7701.sock");
}

TEST(Door, IsWhereItIsConfiguredOrInTheUsualFolders) {
  EXPECT_EQ(door_folders("/mine", {{"XDG_RUNTIME_DIR", "/run/user/7"}}), std::vector<std::string>{"/mine"});
  const std::string last = "/tmp/makegood-" + std::to_string(::geteuid());
  EXPECT_EQ(door_folders("", {{"XDG_RUNTIME_DIR", "/run/user/7"}}),
            (std::vector<std::string>{"/run/makegood", "/run/user/7/makegood", last}));
  EXPECT_EQ(door_folders("", {}), (std::vector<std::string>{"/run/makegood", last}));
}

TEST(Door, IsMadeForUsAlone) {
  const TemporaryFolder folder;
  const auto files = make_door({folder.file("none/below"), folder.file("door")}, at("127.0.0.1"));
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(files->socket, folder.file("door") + "/7700.sock");
  EXPECT_EQ(mode_of(folder.file("door")), 0700U);
}

TEST(Door, IsNotInAFolderThatOthersCanWriteInto) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("open"));
  std::filesystem::permissions(folder.file("open"), std::filesystem::perms{0777});
  std::filesystem::create_directory(folder.file("good"));
  std::filesystem::create_directory_symlink(folder.file("good"), folder.file("link"));
  EXPECT_FALSE(make_door({folder.file("open"), folder.file("link")}, at("127.0.0.1")));
}

TEST(DoorToken, IsMadeOnceAndKept) {
  const TemporaryFolder folder;
  const auto first = kept_token(folder.file("token"));
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->size(), 64U);
  EXPECT_EQ(mode_of(folder.file("token")), 0600U);
  EXPECT_EQ(*kept_token(folder.file("token")), *first);
  EXPECT_EQ(read_token(folder.file("token")), *first);
}

TEST(DoorToken, IsMadeAnewWhenOthersCouldHaveReadItOrItWasCutOff) {
  const TemporaryFolder folder;
  const std::string first = *kept_token(folder.file("token"));
  std::filesystem::permissions(folder.file("token"), std::filesystem::perms{0644});
  const std::string second = *kept_token(folder.file("token"));
  EXPECT_NE(second, first);
  EXPECT_EQ(mode_of(folder.file("token")), 0600U);
  std::ofstream(folder.file("token"), std::ios::trunc) << "abc";
  EXPECT_EQ(kept_token(folder.file("token"))->size(), 64U);
}

TEST(DoorToken, IsNotReadThroughALink) {
  const TemporaryFolder folder;
  ASSERT_TRUE(kept_token(folder.file("token")));
  std::filesystem::create_symlink(folder.file("token"), folder.file("link"));
  EXPECT_FALSE(read_token(folder.file("link")));
}

TEST(WayIn, IsLookedForOnThisMachineOnly) {
  EXPECT_TRUE(local_address_in("http://127.0.0.1:7700"));
  EXPECT_TRUE(local_address_in("http://localhost:7700/"));
  EXPECT_TRUE(local_address_in("http://[::1]:7700"));
  EXPECT_FALSE(local_address_in("http://10.0.0.1:7700"));
  EXPECT_FALSE(local_address_in("https://127.0.0.1:7700"));
  EXPECT_FALSE(local_address_in("http://shop.example:7700"));
}

TEST(WayIn, GivesATokenToNobodyWhoHasTakenThePort) {
  const TemporaryFolder folder;
  const std::string token = *kept_token(door_files(folder.path().string(), at("127.0.0.1", 1)).token);
  EXPECT_EQ(find_way_in("http://127.0.0.1:1", {folder.path().string()}).token, "") << "nobody listens there";
}

TEST(Listeners, AreThoseOfOneUserOrNot) {
  constexpr std::string_view table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 0100007F:1E14 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0\n"
      "   1: 0100007F:1E14 0100007F:9999 01 00000000:00000000 00:00000000 00000000     7        0 1 1 0 100 0 0 10 0\n";
  bool listens = false;
  EXPECT_TRUE(has_only_listeners_of(table, 7700, 1000, listens));
  EXPECT_TRUE(listens);
  EXPECT_FALSE(has_only_listeners_of(table, 7700, 1001, listens));
  listens = false;
  EXPECT_TRUE(has_only_listeners_of(table, 7701, 1000, listens));
  EXPECT_FALSE(listens);
}

}  // namespace
}  // namespace makegood::daemon
