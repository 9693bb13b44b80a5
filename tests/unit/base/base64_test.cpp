#include "base/base64.hpp"

#include <gtest/gtest.h>

namespace makegood {
namespace {

TEST(Base64, ComesBackAsItWas) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    bytes += static_cast<char>(i);
  }
  EXPECT_EQ(to_base64("Man"), "TWFu");
  EXPECT_EQ(to_base64("Ma"), "TWE=");
}

TEST(Base64, RefusesWhatIsNot) {
  for (const char* text : {"a", "ab", "TWF", "TW=u", "TWF!", "====", "T===", "TWFu\n", " abc", "ab-_"}) {
    EXPECT_FALSE(from_base64(text)) << text;
    EXPECT_FALSE(from_base64(text, true)) << text;
  }
}

TEST(Base64, HasOneTextForTheSameBytesUnlessMoreAreAllowed) {
  EXPECT_EQ(from_base64("TWF="), std::nullopt);
  EXPECT_EQ(from_base64("TWF=", true), "Ma");
}

}  // namespace
}  // namespace makegood
