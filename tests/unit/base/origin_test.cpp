#include "base/origin.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/digest.hpp"
#include "base/machine.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood {
namespace {

TEST(EnvironmentNames, DecideWhereTheStoreHasOne) {
  EXPECT_EQ(compare_environments("production", "production"), NameVerdict::ours);
  EXPECT_EQ(compare_environments("production", "staging"), NameVerdict::copy);
  EXPECT_EQ(compare_environments("production", ""), NameVerdict::copy) << "only in the store";
}

TEST(EnvironmentNames, SayNothingWhereTheStoreHasNone) {
  EXPECT_EQ(compare_environments("", ""), NameVerdict::silent);
  EXPECT_EQ(compare_environments("", "staging"), NameVerdict::silent) << "a copy must not become ours by its name";
}

TEST(OriginReport, TellsWhatWasComparedAndInAnErrorOnlyWhatDiffers) {
  const OriginReport report{.is_copy = true,
                            .traits = {{"inode", "12", "14", true},
                                       {"birth time", "7", "7"},
                                       {"machine", "", ""},
                                       {.name = "address", .here = "a", .is_only_shown = true}}};
  EXPECT_EQ(compared(report), "inode 14 here and 12 recorded; birth time 7 as recorded; address a");
  EXPECT_EQ(copy_error(report).diagnostics, "inode 14 here and 12 recorded");
  EXPECT_EQ(copy_error(report).code, Errc::store_foreign);
}

TEST(Digest, StandsForATextAndDoesNotTellIt) {
  EXPECT_EQ(short_digest("abc"), "ba7816bf8f01cfea");
  EXPECT_EQ(short_digest(""), "e3b0c44298fc1c14");
  EXPECT_EQ(short_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), "248d6a61d20638b8");
  EXPECT_EQ(short_digest(std::string(1'000'000, 'a')), "cdc76e5c9914fb92");
}

/// A machine as its files tell it.
class Machine : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& written) {
    const std::filesystem::path path = folder_.file(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << written;
  }
  std::string digest() { return machine_digest(folder_.file("")); }

  testing_support::TemporaryFolder folder_;
};

TEST_F(Machine, IsADigestOfItsId) {
  write("etc/machine-id", "3d1219c7c4c5404aaa1f6d2a48adfda4\n");
  EXPECT_EQ(digest().size(), 16U);
  EXPECT_EQ(digest().find("3d1219"), std::string::npos);
  const std::string one = digest();
  write("etc/machine-id", "4d1219c7c4c5404aaa1f6d2a48adfda4\n");
  EXPECT_NE(digest(), one);
}

TEST_F(Machine, IsUnknownWithoutAnId) {
  EXPECT_EQ(digest(), "");
  write("etc/machine-id", "");
  EXPECT_EQ(digest(), "");
  write("etc/machine-id", "uninitialized\n");
  EXPECT_EQ(digest(), "");
}

TEST_F(Machine, IsUnknownInAContainer) {
  write("etc/machine-id", "3d1219c7c4c5404aaa1f6d2a48adfda4\n");
  for (const std::string mark : {".dockerenv", "run/.containerenv", "run/systemd/container"}) {
    write(mark, "");
    EXPECT_EQ(digest(), "") << mark;
    std::filesystem::remove(folder_.file(mark));
  }
  EXPECT_NE(digest(), "");
}

TEST_F(Machine, IsUnknownWhereProcessesAreNumberedAnew) {
  write("etc/machine-id", "3d1219c7c4c5404aaa1f6d2a48adfda4\n");
  std::filesystem::create_directories(folder_.file("proc/self/ns"));
  ASSERT_EQ(symlink("pid:[4026531836]", folder_.file("proc/self/ns/pid").c_str()), 0);
  EXPECT_NE(digest(), "");
  std::filesystem::remove(folder_.file("proc/self/ns/pid"));
  ASSERT_EQ(symlink("pid:[4026532501]", folder_.file("proc/self/ns/pid").c_str()), 0);
  EXPECT_EQ(digest(), "");
}

}  // namespace
}  // namespace makegood
