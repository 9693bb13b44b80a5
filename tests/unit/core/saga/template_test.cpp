#include "core/saga/template.hpp"

#include <gtest/gtest.h>

#include <string>

namespace makegood::core {
namespace {

constexpr std::string_view order_input = R"({"user":{"id":1001,"name":"Ada \"A\" L."},"cents":12345678901234567890.10,
  "tags":["new",{"x":true}],"note":null,"empty":"","weird\u002dname":7,"twice":1,"twice":2,"big":900719925474099301})";

TemplateScope template_scope() {
  return {.input = order_input,
          .output = [](std::string_view step) -> std::optional<std::string> {
            if (step == "createOrder") return R"({"orderId":"o-1","lines":[{"sku":"a"},{"sku":"b"}],"key":"own"})";
            if (step == "silent") return "\"\"";
            return std::nullopt;
          },
          .key = [](std::string_view step) { return "key-of-" + std::string(step); }};
}

std::string filled(std::string_view text) {
  const auto result = fill_template(text, template_scope());
  return result ? *result : std::string(to_string(result.error().code)) + " " + result.error().message;
}

TEST(Template, IsCopiedWhereNothingIsToBeFilledIn) {
  EXPECT_EQ(filled(R"({ "a" : [1, -2.50e3, true, null, "x\n"] })"), R"({"a":[1,-2.50e3,true,null,"x\n"]})");
  EXPECT_EQ(filled("7"), "7");
}

TEST(Template, KeepsTheTypeOfAValueThatIsAWholeString) {
  EXPECT_EQ(filled(R"({"user":"${input.user.id}"})"), R"({"user":1001})");
  EXPECT_EQ(filled(R"("${input.user}")"), R"({"id":1001,"name":"Ada \"A\" L."})");
  EXPECT_EQ(filled(R"("${input.tags}")"), R"(["new",{"x":true}])");
  EXPECT_EQ(filled(R"("${input.tags.1.x}")"), "true");
  EXPECT_EQ(filled(R"("${input.note}")"), "null");
  EXPECT_EQ(filled(R"("${input.empty}")"), R"("")");
}

TEST(Template, ChangesNoDigitOfANumber) {
  EXPECT_EQ(filled(R"("${input.cents}")"), "12345678901234567890.10");
  EXPECT_EQ(filled(R"({"n":"${input.big}","m":123456789012345678901234567890})"),
            R"({"n":900719925474099301,"m":123456789012345678901234567890})");
  EXPECT_EQ(filled(R"("about ${input.cents} cents")"), R"("about 12345678901234567890.10 cents")");
}

TEST(Template, WritesAValueInsideTextAsText) {
  EXPECT_EQ(filled(R"("user ${input.user.id}/${input.user.name}!")"), R"("user 1001/Ada \"A\" L.!")");
  EXPECT_EQ(filled(R"("x${input.tags}y")"), R"("x[\"new\",{\"x\":true}]y")");
  EXPECT_EQ(filled(R"("${input.user.id}${input.user.id}")"), R"("10011001")");
  EXPECT_EQ(filled(R"("<${input.empty}>")"), R"("<>")");
}

TEST(Template, ReadsOutputsAndKeysOfSteps) {
  EXPECT_EQ(filled(R"("${createOrder.orderId}")"), R"("o-1")");
  EXPECT_EQ(filled(R"("${createOrder.lines.1.sku}")"), R"("b")");
  EXPECT_EQ(filled(R"("${createOrder.key}")"), R"("key-of-createOrder")");
  EXPECT_EQ(filled(R"("${payment.key}")"), R"("key-of-payment")");
  EXPECT_EQ(filled(R"("${silent}")"), R"("")");
}

TEST(Template, FindsMembersWhateverTheirNamesLookLike) {
  EXPECT_EQ(filled(R"("${input.weird-name}")"), "7");
  EXPECT_EQ(filled(R"("${input.twice}")"), "2");
}

TEST(Template, RefusesWhatLeadsNowhereAndNamesThePath) {
  for (const char* path : {"input.nobody", "input.user.id.x", "input.tags.2", "input.tags.x", "input.tags.-1",
                           "payment.id", "payment", "createOrder.lines.01x"}) {
    const auto result = fill_template("{\"a\":\"${" + std::string(path) + "}\"}", template_scope());
    ASSERT_FALSE(result) << path;
    EXPECT_EQ(result.error().code, Errc::invalid) << path;
    EXPECT_NE(result.error().message.find(path), std::string::npos) << result.error().message;
  }
}

TEST(Template, TakesTheDefaultWhereThePathLeadsNowhereOrToNull) {
  EXPECT_EQ(filled(R"("${input.nobody|0}")"), "0");
  EXPECT_EQ(filled(R"("${input.nobody|null}")"), "null");
  EXPECT_EQ(filled(R"("${input.note|\"none\"}")"), R"("none")");
  EXPECT_EQ(filled(R"("${input.nobody | 'it is {x}' }")"), R"("it is {x}")");
  EXPECT_EQ(filled(R"("${input.nobody|{\"a\":[1,\"}\"]}}")"), R"({"a":[1,"}"]})");
  EXPECT_EQ(filled(R"("say ${input.nobody|'nothing'}.")"), R"("say nothing.")");
  EXPECT_EQ(filled(R"("${input.user.id|0}")"), "1001");
  EXPECT_EQ(filled(R"("${payment.id|'p'}")"), R"("p")");
}

TEST(Template, RefusesANullInsideText) {
  EXPECT_EQ(filled(R"("note: ${input.note}")"),
            "REQUEST.INVALID The template ${input.note} is null inside a text, without a default.");
}

TEST(Template, HasAWayToWriteTheMarkItself) {
  EXPECT_EQ(filled(R"("$${input.a} costs 5$ or ${input.user.id}$")"), R"("${input.a} costs 5$ or 1001$")");
  EXPECT_EQ(filled(R"("$${")"), R"("${")");
  EXPECT_EQ(filled(R"("$")"), R"("$")");
}

TEST(Template, RefusesWhatItCannotRead) {
  for (const char* text :
       {"", "{", "nope", R"("${input.a")", R"("${}")", R"("${.a}")", R"("${input..a}")", R"("${input.a|}")",
        R"("${input.a|none}")", R"("${input.a|0 1}")", R"("${a b}")", R"("${input.${input.a}}")", "\"\xff\"", "[1,]"}) {
    const auto result = fill_template(text, template_scope());
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().code, Errc::invalid) << text;
  }
}

TEST(Template, IsNotNestedWithoutEnd) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(fill_template(nested(64), template_scope()));
  EXPECT_FALSE(fill_template(nested(65), template_scope()));
  EXPECT_FALSE(fill_template(nested(1'000'000), template_scope()));
}

TEST(Template, DoesNotGrowWithoutEnd) {
  const std::string large = "\"" + std::string(600'000, 'x') + "\"";
  TemplateScope of_large{.input = large, .output = {}, .key = {}};
  EXPECT_TRUE(fill_template(R"("${input}")", of_large));
  const auto twice = fill_template(R"(["${input}","${input}"])", of_large);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, Errc::payload_too_large);
  EXPECT_FALSE(fill_template(R"("${input}${input}")", of_large));
}

TEST(Template, SurvivesAnInputThatIsNotJson) {
  for (const char* input : {"", "{", "{\"a\":", "{\"a\" 1}", "[", "[1", "\"", "{\"a\":\"x", "]", "{]"}) {
    TemplateScope of_damage{.input = input, .output = {}, .key = {}};
    EXPECT_FALSE(fill_template(R"("${input.a}")", of_damage)) << input;
    EXPECT_FALSE(fill_template(R"("${step.key}")", of_damage)) << input;
  }
}

TEST(Template, TellsWhatItReads) {
  const auto uses = uses_of(R"({"a":"${input.user.id|0}","b":["x ${createOrder.key} ${input}"],"c":"$${no}"})");
  ASSERT_TRUE(uses);
  const std::vector<TemplateUse> expected = {
      {"input", "user.id", true}, {"createOrder", "key", false}, {"input", "", false}};
  EXPECT_EQ(*uses, expected);
  EXPECT_FALSE(uses_of("{"));
  EXPECT_FALSE(uses_of(R"({"${input.a}":1})"));
  EXPECT_FALSE(uses_of(R"("${input.a")"));
}

TEST(Condition, TellsWhatItReads) {
  const auto uses = uses_of_condition("${input.a} == ${b.c|1} && !${d} || 1");
  ASSERT_TRUE(uses);
  const std::vector<TemplateUse> expected = {{"input", "a", false}, {"b", "c", true}, {"d", "", false}};
  EXPECT_EQ(*uses, expected);
}

bool is_told_true(std::string_view condition) {
  const auto result = holds(condition, template_scope());
  EXPECT_TRUE(result) << condition << ": " << result.error().message;
  return result && *result;
}

TEST(Condition, TakesEmptyThingsForFalse) {
  for (const char* text : {"false", "null", "0", "0.0", "-0e9", "''", "\"\"", "[]", "{}", "[ ]", "${input.note}",
                           "${input.empty}", "${silent}", "${input.nobody|0}"}) {
    EXPECT_FALSE(is_told_true(text)) << text;
    EXPECT_TRUE(is_told_true("!" + std::string(text))) << text;
  }
  for (const char* text :
       {"true", "1", "-0.1", "0e300 == 0", "'0'", "'false'", "[0]", "{\"a\":null}", "${input.user}", "!!1"}) {
    EXPECT_TRUE(is_told_true(text)) << text;
  }
}

TEST(Condition, ComparesTexts) {
  EXPECT_TRUE(is_told_true("${createOrder.orderId} == 'o-1'"));
  EXPECT_TRUE(is_told_true("${createOrder.orderId} == \"o\\u002d1\""));
  EXPECT_TRUE(is_told_true("${createOrder.orderId}!='o-2'"));
  EXPECT_TRUE(is_told_true("'a' < 'b'"));
  EXPECT_FALSE(is_told_true("'b' <= 'a'"));
}

TEST(Condition, ComparesNumbersExactly) {
  for (const char* text : {"${input.user.id} > 1000", "${input.user.id} <= 1001", "1.0 == 1", "10e-1 == 1", "-1 < 0",
                           "-0 == 0", "900719925474099301 > 900719925474099300", "${input.big} == 900719925474099301",
                           "-2 < -1", "0.1 < 0.11", "9 < 10", "1e300 > 1e299", "1e-400 > 0", "-1e300 < -1e299",
                           "1e-99999999999999999999 < 1", "100 >= 1e2", "0.00012 == 1.2e-4", "1.5E+1 == 15"}) {
    EXPECT_TRUE(is_told_true(text)) << text;
  }
}

TEST(Condition, RefusesNumbersThatNoDoubleReaches) { EXPECT_FALSE(holds("1e400 > 1", template_scope())); }

TEST(Condition, FindsValuesOfTwoKindsUnequal) {
  EXPECT_FALSE(is_told_true("${input.user.id} == '1001'"));
  EXPECT_TRUE(is_told_true("${input.user.id} != '1001'"));
  EXPECT_TRUE(is_told_true("null != false"));
  EXPECT_TRUE(is_told_true("true == true"));
  EXPECT_TRUE(is_told_true("true != false"));
  EXPECT_TRUE(is_told_true("null == null"));
}

TEST(Condition, JoinsTermsWithAndBeforeOr) {
  EXPECT_TRUE(is_told_true("1 || 0 && 0"));
  EXPECT_TRUE(is_told_true("0 && 0 || 1"));
  EXPECT_FALSE(is_told_true("1 && 0 || 0"));
  EXPECT_TRUE(is_told_true("${input.user.id} == 1001 && !${input.note} && ${input.tags.0} == 'new'"));
}

TEST(Condition, RefusesWhatItCannotDecide) {
  for (const char* text : {"",
                           "  ",
                           "1 <",
                           "== 1",
                           "(1)",
                           "1 & 1",
                           "1 1",
                           "yes",
                           "!1 == 1",
                           "1 == 1 == 1",
                           "1 < 'a'",
                           "true < false",
                           "null >= null",
                           "[] == []",
                           "{} != 1",
                           "${input.nobody}",
                           "${input.nobody} == 1",
                           "${input.a",
                           "'x",
                           "&& 1",
                           "1 ||"}) {
    const auto result = holds(text, template_scope());
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().code, Errc::invalid) << text;
  }
}

TEST(Condition, DoesNotLookAtWhatNoLongerMatters) {
  EXPECT_TRUE(is_told_true("1 || ${input.nobody}"));
  EXPECT_FALSE(is_told_true("0 && ${input.nobody}"));
}

TEST(Condition, HasAnEnd) {
  std::string text = "1";
  for (int i = 0; i < 100; ++i) text += " && 1";
  EXPECT_FALSE(holds(text, template_scope()));
}

}  // namespace
}  // namespace makegood::core
