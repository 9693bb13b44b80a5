#include <gtest/gtest.h>

#include "tests/unit/api/saga_place.hpp"

namespace makegood::api {
namespace {

constexpr const char* execute = "/api/saga/execute";
const std::string order_7 = R"({"definition":"orderProcess","id":"order-7","input":{"userId":1001}})";

core::SagaRecord completed(const std::string& output) {
  core::SagaRecord record = about(core::RecordKind::ended, 900);
  record.state = "completed";
  record.body = output;
  return record;
}

TEST(StartSaga, AnswersAtOnceThatItIsPending) {
  SagaPlace place;
  const Answer answer = place.post(execute, order_7);
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(text_at(answer, "/executionId"), "order-7");
  EXPECT_EQ(text_at(answer, "/status"), "PENDING");
  EXPECT_EQ(text_at(answer, "/state"), "pending");
  EXPECT_EQ(text_at(place.show("order-7"), "/status"), "PENDING");
  EXPECT_EQ(at(place.show("order-7"), "/input"), R"({"userId":1001})");
}

TEST(StartSaga, TakesTheNamesThatOthersUse) {
  SagaPlace place;
  const Answer answer = place.post(
      execute,
      R"({"tenantId":1,"chainName":"orderProcess","sagaMode":true,"async":true,"inputData":{"userId":1001,"n":2.50}})");
  EXPECT_EQ(answer.status, 202) << answer.body;
  EXPECT_EQ(text_at(answer, "/tenantId"), "1");
  const Answer shown = place.show(text_at(answer, "/executionId"));  // Of the only tenant that has it.
  EXPECT_EQ(text_at(shown, "/tenantId"), "1");
  EXPECT_EQ(text_at(shown, "/chainName"), "orderProcess");
  EXPECT_EQ(at(shown, "/input/n"), "2.5");
}

TEST(StartSaga, MayNameItsTime) {
  SagaPlace place;
  const Answer answer =
      place.post(execute, R"({"definition":"orderProcess","id":"order-7","start_at":"2100-01-31T09:00:00Z"})");
  EXPECT_EQ(answer.status, 202) << answer.body;
  EXPECT_EQ(text_at(place.show("order-7"), "/waitsFor"), "start");
  EXPECT_EQ(place.post(execute, R"({"definition":"orderProcess","start_at":"soon"})").status, 400);
}

TEST(StartSaga, MayBringItsDefinition) {
  SagaPlace place;
  const std::string path = "/api/saga/execute/inline";
  const auto with = [](const std::string& id, const std::string& action) {
    return R"({"id":")" + id + R"(","document":{"name":"greet","steps":[{"name":"a","action":")" + action +
           R"(","effect":"none"}]}})";
  };
  const Answer first = place.post(path, with("g-1", "fn:hello"));
  EXPECT_EQ(first.status, 202) << first.body;
  const std::string name = text_at(first, "/chainName");
  EXPECT_TRUE(name.starts_with("greet.inline-")) << name;
  EXPECT_EQ(text_at(place.post(path, with("g-2", "fn:hello")), "/chainName"), name) << "the same is stored once";
  EXPECT_EQ(size_at(place.get("/api/saga/definitions/" + name + "/versions"), "/items"), 1U);
  EXPECT_NE(text_at(place.post(path, with("g-3", "fn:bye")), "/chainName"), name);
  EXPECT_EQ(place.post(path, with("g-1", "fn:bye")).status, 409) << "the id was used with another document";
  EXPECT_EQ(place.post(path, with("g-1", "fn:hello")).status, 200);
  EXPECT_EQ(place.post(path, R"({"document":{"steps":[]}})").status, 400);
  EXPECT_EQ(place.post(path, R"({"id":"g-4"})").status, 400);
}

TEST(StartSaga, IsTheFirstExecutionWhenItIsRepeated) {
  SagaPlace place;
  place.post(execute, order_7);
  const Answer again = place.post(execute, order_7);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(text_at(again, "/executionId"), "order-7");
  EXPECT_TRUE(text_at(again, "/message").starts_with("It was started before")) << again.body;
  EXPECT_EQ(size_at(place.get("/api/saga/executions"), "/items"), 1U);
}

TEST(StartSaga, IsAConflictWithAnotherInput) {
  SagaPlace place;
  place.post(execute, order_7);
  const Answer other = place.post(execute, R"({"definition":"orderProcess","id":"order-7","input":{"userId":7}})");
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(detail(other), "There is an execution 'order-7' already, of another definition, input or key.");
}

TEST(StartSaga, HasTheIdempotencyKeyAsItsIdIfItSaysNone) {
  SagaPlace place;
  const Call call{.method = "POST",
                  .path = execute,
                  .content_type = "application/json",
                  .body = R"({"definition":"orderProcess"})",
                  .idempotency_key = "from-the-header"};
  EXPECT_EQ(text_at(place.call(call), "/executionId"), "from-the-header");
  EXPECT_EQ(place.call(call).status, 200);
}

TEST(StartSaga, OfASagaThatIsNotThereSaysWhichWasMeant) {
  SagaPlace place;
  const Answer answer = place.post(execute, R"({"definition":"orderProces"})");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(detail(answer), "There is no saga 'orderProces'. Is it orderProcess?");
  EXPECT_EQ(detail(place.post(execute, R"({"definition":"orderProcess","version":9})")),
            "There is no saga 'orderProcess' in version 9.");
}

TEST(StartSaga, TellsAllMistakesAtOnce) {
  SagaPlace place;
  const Answer answer = place.post(execute, R"({"wait":31,"inputt":{},"version":0})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_NE(detail(answer).find("wait is 31"), std::string::npos) << detail(answer);
  EXPECT_NE(detail(answer).find("inputt is not"), std::string::npos) << detail(answer);
  EXPECT_NE(detail(answer).find("version is 0"), std::string::npos) << detail(answer);
}

TEST(StartSaga, WaitsForTheOutcome) {
  SagaPlace place;
  const Sequence execution = place.begin("order-7");
  place.end(execution, "order-7", SagaState::completed, {begun(), completed(R"({"order":"ORD-1"})")});
  const Answer answer =
      place.post(execute, R"({"definition":"orderProcess","id":"order-7","input":{"userId":1001},"wait":5})");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(text_at(answer, "/status"), "COMPLETED");
  EXPECT_EQ(at(answer, "/output"), R"({"order":"ORD-1"})");
}

TEST(StartSaga, SaysThatThereIsNoOutcomeYetWhenTheWaitIsOver) {
  SagaPlace place;
  const Answer answer = place.post(execute, R"({"definition":"orderProcess","id":"a/b","wait":0.01})");
  EXPECT_EQ(answer.status, 202) << answer.body;
  EXPECT_EQ(text_at(answer, "/executionId"), "a/b");
  EXPECT_EQ(text_at(answer, "/status"), "PENDING");
}

TEST(SagaOutcome, IsHiddenFromWhoMayOnlyLook) {
  SagaPlace place;
  place.end(place.begin("order-7"), "order-7", SagaState::completed, {begun(), completed("[1]")});
  const Answer answer = place.call({.path = "/api/saga/executions/order-7/outcome", .sees_contents = false});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(at(answer, "/output"), "null");
}

}  // namespace
}  // namespace makegood::api
