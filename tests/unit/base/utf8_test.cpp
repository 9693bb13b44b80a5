#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace makegood {
namespace {

using namespace std::string_literals;

void expect_first(std::string_view text, std::size_t bytes, char32_t value) {
  const Character character = first_character(text);
  EXPECT_EQ(character.bytes, bytes) << text;
  EXPECT_EQ(character.value, value) << text;
}

TEST(Utf8, ReadsCharactersOfEveryLength) {
  expect_first("az", 1, U'a');
  expect_first("\0z"s, 1, 0);
  expect_first("äz", 2, U'ä');
  expect_first("注z", 3, U'注');
  expect_first("🙂z", 4, U'🙂');
}

TEST(Utf8, ReadsTheFirstAndTheLastOfEachLength) {
  expect_first("\xC2\x80", 2, 0x80);
  expect_first("\xDF\xBF", 2, 0x7FF);
  expect_first("\xE0\xA0\x80", 3, 0x800);
  expect_first("\xEF\xBF\xBF", 3, 0xFFFF);
  expect_first("\xF0\x90\x80\x80", 4, 0x10000);
  expect_first("\xF4\x8F\xBF\xBF", 4, 0x10FFFF);
}

TEST(Utf8, RefusesWhatIsCutOffOrOutOfPlace) {
  for (const auto& bad : {"\xFF"s, "\x80"s, "\xC3"s, "\xC3z"s, "\xE2\x82"s, "\xE2\x82z"s, "\xF0\x9F\x99"s})
    expect_first(bad, 0, 0);
}

TEST(Utf8, RefusesOverlongFormsSurrogatesAndWhatLiesBeyondTheLastCharacter) {
  for (const auto& bad : {"\xC0\x80"s, "\xC1\xBF"s, "\xE0\x9F\xBF"s, "\xF0\x8F\xBF\xBF"s}) expect_first(bad, 0, 0);
  for (const auto& bad : {"\xED\xA0\x80"s, "\xED\xBF\xBF"s}) expect_first(bad, 0, 0);
  for (const auto& bad : {"\xF4\x90\x80\x80"s, "\xF5\x80\x80\x80"s}) expect_first(bad, 0, 0);
}

TEST(Utf8, KnowsWhatTerminalsObey) {
  for (const char32_t value : {U'\0', U'\x1B', U'\x7F', char32_t{0x9B}, char32_t{0x200F}, char32_t{0x2028},
                               char32_t{0x202E}, char32_t{0x2066}})
    EXPECT_TRUE(is_obeyed(value));
  for (const char32_t value : {U' ', U'~', char32_t{0xA0}, char32_t{0x2026}, U'注'}) EXPECT_FALSE(is_obeyed(value));
}

TEST(Cut, CutsBetweenCharacters) {
  EXPECT_EQ(cut("abc", 3), "abc");
  EXPECT_EQ(cut("abc", 2), "ab");
  EXPECT_EQ(cut("aä", 2), "a");
  EXPECT_EQ(cut("🙂", 3), "");
}

}  // namespace
}  // namespace makegood
