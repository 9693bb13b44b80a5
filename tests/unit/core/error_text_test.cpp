// What is kept of an error's text: valid UTF-8 without control characters, at most 2 KiB.
#include "core/error_text.hpp"

#include <gtest/gtest.h>

namespace makegood::core {
namespace {

using namespace std::string_literals;

TEST(ErrorText, StaysAsItIsWhenItIsFine) {
  const std::string text = "Größe 12 €, 漢字, 🚚: {\"a\": [1, \"<b>\"]}";
  EXPECT_EQ(storable(text), text);
  EXPECT_EQ(storable(""), "");
}

TEST(ErrorText, ReplacesControlCharactersBySpaces) { EXPECT_EQ(storable("a\tb\r\nc\x1b[31m\x7f"), "a b  c [31m "); }

TEST(ErrorText, GoesOnBehindANul) { EXPECT_EQ(storable("before\0after"s), "before after"); }

TEST(ErrorText, ReplacesControlCharactersOfTwoBytes) {
  const std::string kept = storable(
      "a\xC2\x9B"
      "31m\xC2\x85"
      "b");
  EXPECT_EQ(kept.find('\xC2'), std::string::npos) << kept;
}

TEST(ErrorText, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(storable("a\xFF\x80z"), "a??z");
  EXPECT_EQ(storable("\xC3("), "?(");
}

TEST(ErrorText, ReplacesWhatOnlyLooksLikeUtf8) {
  EXPECT_EQ(storable("\xC0\xAF"), "??") << "overlong, two bytes";
  EXPECT_EQ(storable("\xE0\x80\xAF"), "???") << "overlong, three bytes";
  EXPECT_EQ(storable("\xF0\x80\x80\xAF"), "????") << "overlong, four bytes";
  EXPECT_EQ(storable("\xED\xA0\x80"), "???") << "a surrogate";
  EXPECT_EQ(storable("\xF4\x90\x80\x80"), "????") << "beyond the last character";
  EXPECT_EQ(storable("\xF5\x80\x80\x80"), "????") << "no such lead byte";
}

TEST(ErrorText, KeepsTheLastCharactersOfEachLength) {
  const std::string text = "\x7E\xDF\xBF\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\xF4\x8F\xBF\xBF";
  EXPECT_EQ(storable(text), text);
}

TEST(ErrorText, ReplacesACharacterThatTheEndCutsOff) {
  EXPECT_EQ(storable("euro \xE2\x82"), "euro ??");
  EXPECT_EQ(storable("\xF0\x9F\x9A"), "???");
}

TEST(ErrorText, IsCutAtTwoKibibytes) {
  EXPECT_EQ(storable(std::string(2048, 'x')).size(), 2048U);
  EXPECT_EQ(storable(std::string(2049, 'x')).size(), 2048U);
  EXPECT_EQ(storable(std::string(1 << 20, '\xFF')), std::string(2048, '?'));
}

TEST(ErrorText, IsCutBetweenCharacters) {
  const std::string full(2046, 'x');
  EXPECT_EQ(storable(full + "é"), full + "é");
  EXPECT_EQ(storable(full + "€"), full);
  EXPECT_EQ(storable(full + "x€"), full + "x");
}

TEST(ErrorText, IsNotChangedByBeingStoredTwice) {
  const std::string once = storable("bad \xE2\x82 and \x01" + std::string(3000, 'y'));
  EXPECT_EQ(storable(once), once);
}

}  // namespace
}  // namespace makegood::core
