// How calls are read: JSON with its exact text, times, base 64, paths, fields.
#include <gtest/gtest.h>

#include "api/fields.hpp"
#include "api/json_value.hpp"
#include "api/path.hpp"
#include "api/time_text.hpp"

namespace makegood::api {
namespace {

TEST(JsonValue, KeepsTheExactTextOfEachValue) {
  const auto members = read_object(R"( { "a" : 1.0 , "b":1e3,"c": 12345678901234567890123 ,"d":{ "x" : [1 ,2] },)"
                                   R"("e":[ ], "f" : "A\n" , "g":null,"h":true } )");
  ASSERT_TRUE(members) << members.error().message;
  std::vector<std::string> sources;
  for (const JsonMember& member : *members) sources.emplace_back(member.value.source);
  EXPECT_EQ(sources, (std::vector<std::string>{"1.0", "1e3", "12345678901234567890123", R"({ "x" : [1 ,2] })", "[ ]",
                                               R"("A\n")", "null", "true"}));
  EXPECT_EQ((*members)[5].value.text, "A\n");
}

TEST(JsonValue, KeepsTheExactTextOfEachElement) {
  const auto elements = read_array(R"([ {"a":1} ,2.50, "x" , [ 3 ]])");
  ASSERT_TRUE(elements);
  ASSERT_EQ(elements->size(), 4U);
  EXPECT_EQ((*elements)[0].source, R"({"a":1})");
  EXPECT_EQ((*elements)[1].source, "2.50");
  EXPECT_EQ((*elements)[3].source, "[ 3 ]");
}

TEST(JsonValue, RefusesWhatIsTooDeepWithoutReadingOn) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_NE(read_object("{\"a\":" + deep + "}").error().message.find("64"), std::string::npos);
  const std::string fine = std::string(63, '[') + std::string(63, ']');
  EXPECT_TRUE(read_object("{\"a\":" + fine + "}"));
}

TEST(JsonValue, RefusesWhatIsNotOneObjectOfValidText) {
  const std::vector<std::string> texts = {
      "",          "{", "[]", "{}x", R"({"a":1,})", "{'a':1}", R"({"a":01})", "{\"a\":\"\xFF\"}", R"({"a":"\ud800"})",
      R"({"a" 1})"};
  for (const std::string& text : texts) EXPECT_FALSE(read_object(text)) << text;
  EXPECT_FALSE(read_object(std::string_view("{}\0{}", 5)));
}

TEST(TimeText, WritesMillisecondsInUtc) {
  EXPECT_EQ(time_text(from_milliseconds(0)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(time_text(from_milliseconds(1767323045678)), "2026-01-02T03:04:05.678Z");
}

TEST(TimeText, ReadsWhatRfc3339Allows) {
  const TimePoint moment = from_milliseconds(1767323045678);
  EXPECT_EQ(time_from("2026-01-02T03:04:05.678Z"), moment);
  EXPECT_EQ(time_from("2026-01-02t04:04:05.678000+01:00"), moment);
  EXPECT_EQ(time_from("2026-01-01T21:34:05.678-05:30"), moment);
  EXPECT_EQ(time_from("2026-01-02T03:04:05Z"), from_milliseconds(1767323045000));
  EXPECT_EQ(time_from("2024-02-29T00:00:00Z"), from_milliseconds(1709164800000));
}

TEST(TimeText, RefusesEverythingElse) {
  for (const char* text : {"", "2026", "2026-01-02", "2026-01-02T03:04:05", "2026-13-02T03:04:05Z",
                           "2023-02-29T00:00:00Z", "2026-01-02T24:00:00Z", "2026-01-02T03:04:05.Z",
                           "2026-01-02T03:04:05Zx", "1969-12-31T23:59:59Z", "2026-01-02T03:04:05+1:00"}) {
    EXPECT_FALSE(time_from(text)) << text;
  }
}

TEST(Path, DecodesEscapesAndRefusesBadOnes) {
  EXPECT_EQ(percent_decoded("http:a%2Fb%20c+"), "http:a/b c+");
  EXPECT_EQ(percent_decoded("a+b", Plus::is_blank), "a b");
  for (const char* text : {"%", "%2", "%zz", "a%f", "%ff"}) EXPECT_FALSE(percent_decoded(text)) << text;
}

TEST(Fields, TellsEveryMistakeWithItsFieldValueAndWhatIsAllowed) {
  Mistakes mistakes;
  Fields fields = Fields::of_object(
      R"({"limit":0,"rate":"x","flag":1,"from":"noon","state":"ded","tpoic":"a","twice":1,"twice":2})", mistakes);
  constexpr auto states = std::to_array<std::string_view>({"dead", "done"});
  fields.text("topic", {.is_required = true});
  fields.integer("limit", {1, 1000});
  fields.real("rate", {0, 1});
  fields.flag("flag");
  fields.time("from");
  fields.choice("state", states);
  fields.integer("twice", {1, 2});
  fields.refuse_the_rest();
  const std::string told = mistakes.as_error("The body").message;
  for (const char* part :
       {"The body has 8 mistakes", "twice is there twice", "topic is missing",
        "limit is 0; allowed: an integer from 1 to 1000", "rate is \"x\"; allowed: a number from 0 to 1",
        "flag is 1; allowed: true or false", "from is noon; allowed: a time such as",
        "state is ded; allowed: dead, done", "tpoic is not a member; is it topic?"}) {
    EXPECT_NE(told.find(part), std::string::npos) << part << "\n" << told;
  }
}

TEST(Fields, TakesNullForNothing) {
  Mistakes mistakes;
  Fields fields = Fields::of_object(R"({"topic":null,"limit":null})", mistakes);
  EXPECT_EQ(fields.text("topic"), "");
  EXPECT_FALSE(fields.integer("limit", {1, 2}));
  EXPECT_TRUE(mistakes.empty());
}

TEST(Fields, ReadsNumbersOfAQueryFromTheirText) {
  Mistakes mistakes;
  Fields fields = Fields::of_query("limit=7&topic=a%2Bb+c&empty=", mistakes);
  EXPECT_EQ(fields.integer("limit", {1, 10}), 7);
  EXPECT_EQ(fields.text("topic"), "a+b c");
  EXPECT_TRUE(mistakes.empty());
  fields.text("empty");
  EXPECT_FALSE(mistakes.empty());
}

TEST(Mistakes, TellsTwentyAndCountsTheRest) {
  Mistakes mistakes;
  for (int i = 0; i < 30; ++i) mistakes.add("field", "is wrong");
  const std::string told = mistakes.as_error("The body").message;
  EXPECT_NE(told.find("30 mistakes"), std::string::npos);
  EXPECT_NE(told.find("and 10 more"), std::string::npos);
}

}  // namespace
}  // namespace makegood::api
