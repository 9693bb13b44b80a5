#include "daemon/tokens.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace makegood::daemon {
namespace {

TEST(ServeTokens, ComeFromTheFileAndTheEnvironment) {
  const testing_support::TemporaryFolder folder;
  const std::string file = (folder.path() / "tokens").string();
  std::ofstream(file) << "viewer wall 0123456789abcdef-wall\n";
  const auto tokens = load_tokens(file, {{"MAKEGOOD_TOKENS", "operator ann 0123456789abcdef-ann"}, {"OTHER", "x"}});
  ASSERT_TRUE(tokens);
  ASSERT_EQ(tokens->size(), 2U);
  EXPECT_EQ(tokens->back().name, "ann");
}

TEST(ServeTokens, OfAFileThatIsNotThereStopTheStart) {
  const auto tokens = load_tokens("/nowhere/tokens", {});
  ASSERT_FALSE(tokens);
  EXPECT_EQ(tokens.error().code, Errc::config_invalid);
}

TEST(ServeTokens, OfAnEmptyFileStopTheStart) {
  const testing_support::TemporaryFolder folder;
  const std::string file = (folder.path() / "tokens").string();
  std::ofstream(file) << "# none yet\n";
  EXPECT_FALSE(load_tokens(file, {})) << "an open door must not be the outcome of an empty file";
}

}  // namespace
}  // namespace makegood::daemon
