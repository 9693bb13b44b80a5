// Numbers that whoever reads them leaves out.
#include "core/cancelled.hpp"

#include <gtest/gtest.h>

#include "makegood/spi/store.hpp"

namespace makegood::core {
namespace {

TEST(Cancelled, ForOneDestinationLeavesTheOthersAlone) {
  Cancelled cancelled;
  cancelled.mark(7, "fn:a");
  EXPECT_TRUE(cancelled.leaves_out(7, "fn:a"));
  EXPECT_FALSE(cancelled.leaves_out(7, "fn:b"));
  EXPECT_FALSE(cancelled.is_marked(7, unrouted));
}

TEST(Cancelled, AsAWholeLeavesItOutEverywhere) {
  Cancelled cancelled;
  cancelled.mark(7, unrouted);
  EXPECT_TRUE(cancelled.leaves_out(7, "fn:a"));
  EXPECT_FALSE(cancelled.leaves_out(8, "fn:a"));
}

TEST(Cancelled, IsForgottenWhenAllLanesArePastIt) {
  Cancelled cancelled;
  for (const Sequence number : {3, 9}) cancelled.mark(number, "fn:a");
  cancelled.forget_settled({.reached = 5});
  EXPECT_FALSE(cancelled.is_marked(3, "fn:a"));
  EXPECT_TRUE(cancelled.is_marked(9, "fn:a"));
  cancelled.forget_settled({.reached = 9});
  EXPECT_TRUE(cancelled.marks().empty());
}

}  // namespace
}  // namespace makegood::core
