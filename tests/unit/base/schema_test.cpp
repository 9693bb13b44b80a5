#include "makegood/schema.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace makegood {
namespace {

constexpr std::string_view order_schema = R"({
  "type": "object",
  "required": ["id"],
  "properties": {"id": {"type": "integer"}, "secret": {"type": "string", "maxLength": 3}}
})";

PayloadSchemas order_schemas() {
  PayloadSchemas schemas;
  EXPECT_TRUE(schemas.add("orders.*", order_schema));
  return schemas;
}

TEST(PayloadSchemas, AcceptWhatFollowsTheSchema) {
  EXPECT_TRUE(order_schemas().check("orders.created", R"({"id": 7})"));
}

TEST(PayloadSchemas, RefuseWhatDoesNot) {
  const Result<> result = order_schemas().check("orders.created", R"({"id": "seven"})");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::validation_failed);
  EXPECT_NE(result.error().message.find("type at #/id"), std::string::npos) << result.error().message;
}

TEST(PayloadSchemas, NeverRepeatTheValueInTheError) {
  const Result<> result = order_schemas().check("orders.created", R"({"id": 7, "secret": "hunter2"})");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message.find("hunter2"), std::string::npos);
  EXPECT_EQ(result.error().diagnostics.find("hunter2"), std::string::npos);
}

TEST(PayloadSchemas, RefuseAPayloadThatIsNotJson) {
  const Result<> result = order_schemas().check("orders.created", R"({"id": )");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::validation_failed);
}

TEST(PayloadSchemas, SayNothingAboutOtherTopics) { EXPECT_TRUE(order_schemas().check("mail.sent", "not even JSON")); }

TEST(PayloadSchemas, AllCountWhenSeveralMatch) {
  PayloadSchemas schemas = order_schemas();
  ASSERT_TRUE(schemas.add("*.created", R"({"required": ["at"]})"));
  EXPECT_FALSE(schemas.check("orders.created", R"({"id": 7})"));
  EXPECT_TRUE(schemas.check("orders.created", R"({"id": 7, "at": "now"})"));
}

TEST(PayloadSchemas, RefuseASchemaThatIsNotAJsonObject) {
  PayloadSchemas schemas;
  EXPECT_EQ(schemas.add("*", "{").error().code, Errc::invalid);
  EXPECT_EQ(schemas.add("*", "[]").error().code, Errc::invalid);
  EXPECT_TRUE(schemas.check("anything", "not even JSON"));
}

/// What is wrong with it; empty when it is taken.
std::string refusal_of(std::string_view schema) {
  PayloadSchemas schemas;
  const Result<> added = schemas.add("orders.*", schema);
  if (added) return {};
  EXPECT_EQ(added.error().code, Errc::invalid);
  return added.error().message;
}

TEST(PayloadSchemas, RefuseARuleThatNobodyWouldCheck) {  // The validator knows draft 4, and is silent about the rest.
  const struct {
    std::string_view schema, named;
  } cases[] = {
      {R"({"properties": {"id": {"const": 7}}})", "#/properties/id/const"},
      {R"({"if": {}, "then": {}})", "#/then"},
      {R"({"minimum": 0, "exclusiveMinimum": 0})", "#/exclusiveMinimum must be true or false"},
      {R"({"$schema": "https://json-schema.org/draft/2020-12/schema"})",
       "#/$schema must be http://json-schema.org/draft-04"},
      {R"({"exclusiveMaximum": true})", "# has exclusiveMaximum without maximum"},
      {R"({"requird": ["id"]})", "#/requird"},
      {R"({"type": "text"})", "#/type must be one or several of"},
      {R"({"required": "id"})", "#/required must be a list of names"},
      {R"({"maxLength": -1})", "#/maxLength"},
      {R"({"items": {"contains": {}}})", "#/items/contains"},
      {R"({"anyOf": [{"type": "null"}, {"propertyNames": {}}]})", "#/anyOf/1/propertyNames"},
      {R"({"dependencies": {"a": {"examples": []}}})", "#/dependencies/a/examples"},
      {R"({"additionalProperties": {"unevaluatedItems": false}})", "#/additionalProperties/unevaluatedItems"},
      {R"({"properties": {"id": true}})", "#/properties/id must be a schema"},
      {R"({"pattern": "^\\d+$"})", "#/pattern"},
      {R"({"patternProperties": {"^(?=a)b": {}}})", "#/patternProperties/^(?=a)b"},
      {R"({"$ref": "http://example.org/order.json"})", "#/$ref must lead to a schema within"},
      {R"({"$ref": "#/definitions/order"})", "#/$ref"},
      {R"({"$ref": "#"})", "#/$ref"},
      {R"({"definitions": {"a": {"$ref": "#/definitions/b"}, "b": {"$ref": "#/definitions/a"}}})",
       "#/definitions/b/$ref"},
  };
  for (const auto& [schema, named] : cases) {
    EXPECT_NE(refusal_of(schema).find(named), std::string::npos) << schema << ": " << refusal_of(schema);
  }
}

TEST(PayloadSchemas, NameEveryMistakeAtOnce) {
  const std::string refusal = refusal_of(R"({"const": 7, "properties": {"a": {"examples": []}}})");
  EXPECT_NE(refusal.find("#/const"), std::string::npos);
  EXPECT_NE(refusal.find("#/properties/a/examples"), std::string::npos);
}

TEST(PayloadSchemas, TakeEverythingThatDraft4Has) {
  EXPECT_EQ(refusal_of(R"({
    "$schema": "http://json-schema.org/draft-04/schema#", "id": "x", "title": "t", "description": "d", "default": {},
    "definitions": {"name": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^[a-z]+$",
                             "format": "email"}},
    "type": ["object", "null"], "required": ["a"], "minProperties": 1, "maxProperties": 9,
    "properties": {"a": {"$ref": "#/definitions/name"}, "const": {"enum": [1, "x"]},
                   "n": {"multipleOf": 0.5, "minimum": 0, "exclusiveMinimum": true, "maximum": 9,
                         "exclusiveMaximum": false},
                   "l": {"items": [{}, {"not": {"type": "null"}}], "additionalItems": false, "uniqueItems": true,
                         "minItems": 1, "maxItems": 9}},
    "patternProperties": {"^x-": {}}, "additionalProperties": false,
    "dependencies": {"a": ["n"], "n": {"anyOf": [{}]}}, "allOf": [{}], "oneOf": [{}, {"type": "null"}]})"),
            "");
}

TEST(PayloadSchemas, CheckWhatAReferenceLeadsTo) {
  PayloadSchemas schemas;
  ASSERT_TRUE(schemas.add("*", R"({"properties": {"id": {"$ref": "#/definitions/id"}},
                                   "definitions": {"id": {"type": "integer"}}})"));
  EXPECT_TRUE(schemas.check("t", R"({"id": 7})"));
  EXPECT_FALSE(schemas.check("t", R"({"id": "7"})"));
}

TEST(PayloadSchemas, CanBeMoved) {
  PayloadSchemas schemas = order_schemas();
  const PayloadSchemas moved = std::move(schemas);
  EXPECT_FALSE(moved.check("orders.created", "{}"));
}

}  // namespace
}  // namespace makegood
