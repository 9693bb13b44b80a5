#include "base/nearest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace makegood {
namespace {

const std::vector<std::string> known = {"tx.outbox.batch", "tx.outbox.window", "tx.outbox.batch_bytes_max",
                                        "log.level"};

TEST(Nearest, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("batch", "batch"), 0U);
  EXPECT_EQ(edit_distance("batch", "bach"), 1U);
  EXPECT_EQ(edit_distance("batch", "bacth"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Nearest, FindsASlipOfTheFinger) { EXPECT_EQ(nearest("tx.outbox.bacth", known, '.'), "tx.outbox.batch"); }

TEST(Nearest, FindsTheRightNameInTheWrongSection) {
  EXPECT_EQ(nearest("batch", known, '.'), "tx.outbox.batch");
  EXPECT_EQ(nearest("outbox.windw", known, '.'), "tx.outbox.window");
}

TEST(Nearest, SaysNothingWhenNothingIsNear) { EXPECT_EQ(nearest("something.else", known, '.'), ""); }

}  // namespace
}  // namespace makegood
