#include "base/without_content.hpp"

#include <gtest/gtest.h>

namespace makegood {
namespace {

const std::string content = R"({"card":"4111 1111 1111 1111","amount":12})";

TEST(WithoutContent, LeavesOutTheWholeContentWhereverItIsQuoted) {
  EXPECT_EQ(without_content("cannot read " + content + ", because " + content + " is odd", content),
            "cannot read [payload], because [payload] is odd");
}

TEST(WithoutContent, LeavesOutAQuotationThatWasCutShort) {
  EXPECT_EQ(without_content("cannot read " + content.substr(0, 30) + "...", content), "cannot read [payload]...");
}

TEST(WithoutContent, LeavesEverythingElseAsItIs) {
  EXPECT_EQ(without_content("no such card", content), "no such card");
  EXPECT_EQ(without_content("", content), "");
  EXPECT_EQ(without_content("expected {} at 1", "{}"), "expected {} at 1") << "so short a content tells nothing";
}

TEST(WithoutContent, KnowsAShortContentByAllOfIt) {
  EXPECT_EQ(without_content("bad: \"secret1\"", "\"secret1\""), "bad: [payload]");
  EXPECT_EQ(without_content("bad: \"secret\"", "\"secret1\""), "bad: \"secret\"");
}

}  // namespace
}  // namespace makegood
