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

TEST(PayloadSchemas, CanBeMoved) {
  PayloadSchemas schemas = order_schemas();
  const PayloadSchemas moved = std::move(schemas);
  EXPECT_FALSE(moved.check("orders.created", "{}"));
}

}  // namespace
}  // namespace makegood
