#include "makegood/fields.hpp"

#include <gtest/gtest.h>

namespace shop {

enum class Kind { gift = 3 };
struct Item {
  std::string name;
  std::int64_t cents = 0;
  bool operator==(const Item&) const = default;
};
MAKEGOOD_FIELDS(Item, name, cents)

struct Basket {
  std::string user;
  std::vector<Item> items;
  std::optional<std::string> note;
  std::optional<Item> extra;
  std::map<std::string, double> weights;
  bool is_paid = false;
  std::uint64_t number = 0;
  std::uint8_t small = 0;
  Kind kind = {};
  bool operator==(const Basket&) const = default;
};
MAKEGOOD_FIELDS(Basket, user, items, note, extra, weights, is_paid, number, small, kind)

}  // namespace shop

namespace makegood {
namespace {

using shop::Basket;
using shop::Item;

template <class T>
std::string problem_in(std::string_view json) {
  const auto value = from_json<T>(json);
  return value ? "no problem" : value.error().message;
}

TEST(Fields, BringAStructThereAndBack) {
  const Basket basket{.user = "ann",
                      .items = {{"book", 1990}, {"pen", -1}},
                      .note = "ring",
                      .extra = Item{"wrap", 0},
                      .weights = {{"book", 0.1}, {"pen", 1e300}},
                      .is_paid = true,
                      .number = 18'446'744'073'709'551'615U,
                      .small = 255,
                      .kind = shop::Kind::gift};
  EXPECT_EQ(from_json<Basket>(to_json(basket)).value(), basket);
  EXPECT_EQ(from_json<Basket>(to_json(Basket{})).value(), Basket{});
}

TEST(Fields, AreCalledAsTheMembers) { EXPECT_EQ(to_json(Item{"pen", 7}), R"({"name":"pen","cents":7})"); }

TEST(Fields, KeepEveryByteOfAText) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  EXPECT_EQ(from_json<Item>(to_json(Item{bytes, 0}))->name, bytes);
  using namespace std::string_literals;
  const std::string readable = "a\0\"\\\n\x01 ü 漢 🎁"s;
  EXPECT_EQ(from_json<Item>(to_json(Item{readable, 0}))->name, readable);
  EXPECT_EQ(to_json(std::string("ü")), "\"ü\"");
}

TEST(Fields, ThatAreOptionalMayBeMissingOrNull) {
  EXPECT_EQ(from_json<std::optional<Item>>("null").value(), std::nullopt);
  const auto basket = from_json<Basket>(
      R"({"user":"a","items":[],"extra":null,"weights":{},"is_paid":false,"number":0,"small":0,"kind":3,"more":[1]})");
  ASSERT_TRUE(basket);
  EXPECT_EQ(basket->note, std::nullopt);
}

TEST(Fields, TellWhichOneIsWrongAndNotItsValue) {
  EXPECT_EQ(problem_in<Item>(R"({"name":"pen"})"), "The field cents is missing.");
  EXPECT_EQ(problem_in<Item>(R"({"name":7,"cents":7})"), "The field name is no text.");
  EXPECT_EQ(problem_in<Item>(R"({"name":"secret","cents":"secret"})"), "The field cents is no integer that fits.");
  EXPECT_EQ(problem_in<std::vector<Item>>(R"([{"name":"a","cents":1},{"name":"b","cents":1.5}])"),
            "The field 1.cents is no integer that fits.");
  EXPECT_EQ(problem_in<std::uint8_t>("256"), "The field (all) is no integer that fits.");
  EXPECT_EQ(problem_in<Item>("[]"), "The field (all) is no object.");
  EXPECT_EQ(problem_in<Item>("{"), "The text is not JSON, or is nested too deeply.");
}

TEST(Fields, WriteANumberThatIsNoneAsNull) { EXPECT_EQ(to_json(std::numeric_limits<double>::infinity()), "null"); }

}  // namespace
}  // namespace makegood
