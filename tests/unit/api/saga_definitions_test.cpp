#include <gtest/gtest.h>

#include "makegood/spi/registry.hpp"
#include "tests/support/value_of.hpp"
#include "tests/unit/api/place.hpp"

namespace makegood::api {
namespace {

constexpr const char* definition_path = "/api/saga/definitions/orderProcess";
constexpr const char* saga_body =
    R"({"steps":[{"name":"create","action":"http:orders/create","compensation":"http:orders/cancel"},)"
    R"({"name":"confirm","action":"fn:confirm","pivot":true}]})";
constexpr const char* other_document =
    R"({"name":"orderProcess","steps":[{"name":"a","action":"fn:a","effect":"none"}]})";

class SagaDefinitions : public testing::Test {
 protected:
  SagaDefinitions() { value_of(open_saga_store(place_.url())); }
  Answer put(const std::string& body, const std::string& query = {}) {
    return place_.call(
        {.method = "PUT", .path = definition_path, .query = query, .content_type = "application/json", .body = body});
  }
  Place place_;
};

TEST_F(SagaDefinitions, ArePutAndShown) {
  const Answer answer = put(saga_body);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.body, R"({"name":"orderProcess","version":1,"change":"added"})");
  const Answer shown = place_.get(definition_path);
  ASSERT_EQ(shown.status, 200) << shown.body;
  EXPECT_EQ(text_at(shown, "/name"), "orderProcess");
  EXPECT_EQ(number_at(shown, "/version"), 1);
  EXPECT_EQ(number_at(shown, "/step_count"), 2);
  EXPECT_EQ(at(shown, "/steps/0"), R"({"name":"create","group":0,"action":"http:orders/create",)"
                                   R"("compensation":"http:orders/cancel","has_no_effect":false,"is_pivot":false})");
  EXPECT_EQ(at(shown, "/steps/1/compensation"), "null");
  EXPECT_EQ(text_at(shown, "/document/name"), "orderProcess");
  EXPECT_EQ(text_at(shown, "/document/steps/1/action"), "fn:confirm");
}

TEST_F(SagaDefinitions, AreTheSameVersionWhenTheySayTheSame) {
  ASSERT_EQ(put(saga_body).status, 200);
  EXPECT_EQ(put(saga_body).body, R"({"name":"orderProcess","version":1,"change":"none"})");
  EXPECT_EQ(put(other_document).body, R"({"name":"orderProcess","version":2,"change":"new_version"})");
  EXPECT_EQ(put(saga_body).body, R"({"name":"orderProcess","version":3,"change":"new_version"})");
}

TEST_F(SagaDefinitions, CallAUrlOnlyWhereADestinationCarriesIt) {
  const std::string body = R"({"steps":[{"name":"a","action":"https://mail.example/api/send","effect":"none"}]})";
  const Answer refused = put(body);
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_NE(detail(refused).find("step a: action is https://mail.example/api/send, and no registered destination"),
            std::string::npos)
      << detail(refused);
  EXPECT_EQ(put(body, "dry_run=true").status, 200) << "its destination may come with it";
  const std::string named = body.substr(0, 1) + R"("name":"greet",)" + body.substr(1);
  EXPECT_EQ(place_.post("/api/saga/execute/inline", R"({"document":)" + named + "}").status, 400);
  place_.register_routing(
      {.version = 1, .destinations = {http_destination("mail", {.url = "https://mail.example/"}).value()}});
  EXPECT_EQ(put(body).status, 200);
}

TEST_F(SagaDefinitions, KeepTheirOldVersions) {
  ASSERT_EQ(put(saga_body).status, 200);
  ASSERT_EQ(put(other_document).status, 200);
  EXPECT_EQ(number_at(place_.get(definition_path), "/step_count"), 1);
  EXPECT_EQ(number_at(place_.get(definition_path, "version=1"), "/step_count"), 2);
  EXPECT_EQ(place_.get(definition_path, "version=3").status, 404);
  const Answer versions = place_.get(std::string(definition_path) + "/versions");
  ASSERT_EQ(versions.status, 200) << versions.body;
  EXPECT_EQ(size_at(versions, "/items"), 2U);
  EXPECT_EQ(place_.get("/api/saga/definitions/nobody/versions").status, 404);
}

TEST_F(SagaDefinitions, AreListedInTheirNewestVersions) {
  EXPECT_EQ(size_at(place_.get("/api/saga/definitions"), "/items"), 0U);
  ASSERT_EQ(put(saga_body).status, 200);
  ASSERT_EQ(put(other_document).status, 200);
  const Answer list = place_.get("/api/saga/definitions");
  ASSERT_EQ(size_at(list, "/items"), 1U) << list.body;
  EXPECT_EQ(number_at(list, "/items/0/version"), 2);
}

TEST_F(SagaDefinitions, ChangeNothingInADryRun) {
  EXPECT_EQ(put(saga_body, "dry_run=true").body, R"({"name":"orderProcess","version":1,"change":"added"})");
  EXPECT_EQ(place_.get(definition_path).status, 404);
  ASSERT_EQ(put(saga_body).status, 200);
  EXPECT_EQ(put(saga_body, "dry_run=true").body, R"({"name":"orderProcess","version":1,"change":"none"})");
  EXPECT_EQ(put(other_document, "dry_run=true").body, R"({"name":"orderProcess","version":2,"change":"new_version"})");
}

std::string with_version(int version, const std::string& uri) {
  return R"({"version":)" + std::to_string(version) + R"(,"steps":[{"name":"a","effect":"none","action":")" + uri +
         "\"}]}";
}

TEST_F(SagaDefinitions, NeverChangeAVersionThatIsNamed) {
  ASSERT_EQ(put(with_version(1, "fn:a")).status, 200);
  EXPECT_EQ(put(with_version(1, "fn:a")).status, 200);
  EXPECT_EQ(put(with_version(1, "fn:b")).status, 409);
  EXPECT_EQ(put(with_version(1, "fn:b"), "dry_run=true").status, 409);
  EXPECT_EQ(put(with_version(3, "fn:b")).status, 400);
  EXPECT_EQ(put(with_version(2, "fn:b")).status, 200);
}

TEST_F(SagaDefinitions, AreRefusedWithEveryMistakeByItsPointer) {
  const Answer answer = put(R"({"steps":[{"name":"a","action":"worker:x"}],"dedline":"1s"})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(detail(answer),
            "The document has 3 mistakes: /dedline is not known here; is it deadline?; /steps/0 does not say how it is "
            "undone; give it a compensation, or say effect: none or pivot: true; /steps/0/action is worker:…, which "
            "a step cannot call yet; write fn:name, http:destination/path, https://…, bus:topic or saga:name@version.");
  EXPECT_EQ(place_.get(definition_path).status, 404);
}

TEST_F(SagaDefinitions, HaveTheNameOfThePath) {
  const Answer answer = put(R"({"name":"other","steps":[{"name":"a","action":"fn:a","effect":"none"}]})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(detail(answer), "The document has 1 mistake: /name is other; the path says orderProcess.");
}

TEST_F(SagaDefinitions, AreRefusedWhenTheyAreNoJsonOrTooLarge) {
  EXPECT_EQ(put("{").status, 400);
  EXPECT_EQ(put("[]").status, 400);
  EXPECT_EQ(put(R"({"output":")" + std::string(70'000, 'x') + "\"}").status, 413);
}

TEST_F(SagaDefinitions, TellWhatWasProbablyMeant) {
  ASSERT_EQ(put(saga_body).status, 200);
  const Answer answer = place_.get("/api/saga/definitions/orderProces");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(detail(answer), "There is no saga 'orderProces'. Is it orderProcess?");
}

}  // namespace
}  // namespace makegood::api
