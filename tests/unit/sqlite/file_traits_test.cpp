#include "stores/sqlite/file_traits.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace makegood::sqlite {
namespace {

FileTraits a_file() { return {.environment = "", .inode = 12, .birth = 1'700'000'000'000'000'001, .machine = "m1"}; }

FileTraits in(std::string environment, FileTraits file = a_file()) {
  file.environment = std::move(environment);
  return file;
}

bool is_copy(const FileTraits& recorded, const FileTraits& here) { return judge(recorded, here).is_copy; }

TEST(FileTraits, TheSameFileIsTheOriginal) { EXPECT_FALSE(is_copy(a_file(), a_file())); }

TEST(FileTraits, AFreshVolumeGivesTheSameInodeAndTheBirthTimeTellsThemApart) {
  FileTraits other = a_file();
  other.birth = *other.birth + 1;
  EXPECT_TRUE(is_copy(a_file(), other));
}

TEST(FileTraits, EachDifferenceAloneMakesACopy) {
  FileTraits inode = a_file(), birth = a_file(), machine = a_file();
  inode.inode = 13;
  birth.birth = 5;
  machine.machine = "m2";
  for (const FileTraits& other : {inode, birth, machine}) EXPECT_TRUE(is_copy(a_file(), other));
}

/// Each trait is known or not on each side; then each in turn is another one.
TEST(FileTraits, WhatOneSideDoesNotKnowIsNotCompared) {
  for (int mask = 0; mask < 64; ++mask) {
    FileTraits recorded = a_file(), here = a_file();
    if ((mask & 1) != 0) recorded.inode.reset();
    if ((mask & 2) != 0) recorded.birth.reset();
    if ((mask & 4) != 0) recorded.machine.clear();
    if ((mask & 8) != 0) here.inode.reset();
    if ((mask & 16) != 0) here.birth.reset();
    if ((mask & 32) != 0) here.machine.clear();
    EXPECT_FALSE(is_copy(recorded, here)) << mask;

    if (here.inode) here.inode = 13;
    EXPECT_EQ(is_copy(recorded, here), recorded.inode && here.inode) << mask;
    if (here.inode) here.inode = 12;
    if (here.birth) here.birth = 5;
    EXPECT_EQ(is_copy(recorded, here), recorded.birth && here.birth) << mask;
    if (here.birth) here.birth = a_file().birth;
    if (!here.machine.empty()) here.machine = "m2";
    EXPECT_EQ(is_copy(recorded, here), !recorded.machine.empty() && !here.machine.empty()) << mask;
  }
}

TEST(FileTraits, UnderTheSameNameAnyFileIsTheOriginal) {
  const FileTraits other{.environment = "production", .inode = 99, .birth = 1, .machine = "m9"};
  EXPECT_FALSE(is_copy(in("production"), other));
}

TEST(FileTraits, UnderAnotherNameOrNoneTheSameFileIsACopy) {
  EXPECT_TRUE(is_copy(in("production"), in("staging")));
  EXPECT_TRUE(is_copy(in("production"), in("")));
}

TEST(FileTraits, ANameThatTheStoreDoesNotKnowYetDecidesNothing) {
  FileTraits other = in("staging");
  EXPECT_FALSE(is_copy(in(""), other));
  other.inode = 13;
  EXPECT_TRUE(is_copy(in(""), other));
}

TEST(FileTraits, ARecordOfAnOlderVersionIsCompleted) {
  const FileTraits recorded{.inode = 12};
  EXPECT_FALSE(is_copy(recorded, in("production")));
  EXPECT_EQ(completed(recorded, in("production")), in("production"));
}

TEST(FileTraits, AContainerDoesNotForgetTheMachineOfTheRecord) {
  FileTraits container = a_file();
  container.machine.clear();
  EXPECT_EQ(completed(a_file(), container), a_file());
}

TEST(FileTraits, UnderTheSameNameTheRecordFollowsTheFile) {
  const FileTraits restored{.environment = "production", .inode = 99, .birth = {}, .machine = "m9"};
  const FileTraits complete = completed(in("production"), restored);
  EXPECT_EQ(complete.inode, 99);
  EXPECT_EQ(complete.machine, "m9");
  EXPECT_TRUE(is_other_file(in("production"), restored));
}

TEST(FileTraits, AnotherMachineIsNotAnotherFile) {
  FileTraits moved = a_file();
  moved.machine = "m2";
  EXPECT_FALSE(is_other_file(a_file(), moved));
}

TEST(FileTraits, TheReportTellsBothSides) {
  FileTraits other = a_file();
  other.inode = 13;
  EXPECT_EQ(copy_error(judge(a_file(), other)).diagnostics, "inode 13 here and 12 recorded");
}

TEST(FileTraits, AreReadFromTheFile) {
  const testing_support::TemporaryFolder folder;
  const std::string first = folder.file("first"), second = folder.file("second");
  std::ofstream(first) << "1";
  std::ofstream(second) << "2";
  const auto of_first = traits_of_file(first), again = traits_of_file(first), of_second = traits_of_file(second);
  ASSERT_TRUE(of_first && again && of_second);
  EXPECT_EQ(*of_first, *again);
  EXPECT_TRUE(is_copy(*of_first, *of_second));
  EXPECT_EQ(traits_of_file(folder.file("none")).error().code, Errc::store_unavailable);
  EXPECT_EQ(traits_of_file("")->inode, 0) << "a database that is not a file";
}

}  // namespace
}  // namespace makegood::sqlite
