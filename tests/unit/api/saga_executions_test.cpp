#include <gtest/gtest.h>

#include "api/saga_troubles.hpp"
#include "tests/unit/api/saga_place.hpp"

namespace makegood::api {
namespace {

using core::Direction;
using core::RecordKind;

core::SagaRecord turned_back(const std::string& step, const std::string& code) {
  core::SagaRecord record = about(RecordKind::turned_back, 300, step);
  record.code = code;
  return record;
}
core::SagaRecord ended_as(const std::string& state) {
  core::SagaRecord record = about(RecordKind::ended, 900);
  record.state = state;
  return record;
}

/// createOrder is done, reserveStock is done, payment is declined.
std::vector<core::SagaRecord> until_declined() {
  return {begun(),
          started("createOrder", 0),
          answered("createOrder", 80, SagaOutcome::ok, R"({"orderId":"ORD-1"})"),
          started("payment", 80),
          started("reserveStock", 80),
          answered("reserveStock", 100, SagaOutcome::ok),
          answered("payment", 300, SagaOutcome::fail, "DECLINED"),
          turned_back("payment", "DECLINED")};
}

TEST(SagaExecution, ShowsStepsWithTheirAttemptsWhileItRuns) {
  SagaPlace place;
  const Sequence execution = place.begin("order-7");
  place.decide(execution, {begun(), started("createOrder", 0)});
  const Answer answer = place.show("order-7");
  EXPECT_EQ(text_at(answer, "/status"), "RUNNING");
  EXPECT_EQ(text_at(answer, "/startedAt"), "2026-01-02T03:04:05.000Z");
  EXPECT_EQ(at(answer, "/completedAt"), "null");
  EXPECT_EQ(size_at(answer, "/steps"), 4U);
  EXPECT_EQ(text_at(answer, "/steps/0/stepId"), "createOrder");
  EXPECT_EQ(text_at(answer, "/steps/0/component"), "http:orders/create");
  EXPECT_EQ(text_at(answer, "/steps/0/status"), "RUNNING");
  EXPECT_EQ(text_at(answer, "/steps/0/state"), "in_flight");
  EXPECT_EQ(text_at(answer, "/steps/0/key"), "default/order-7/createOrder/action/1");
  EXPECT_EQ(text_at(answer, "/steps/0/attempts/0/state"), "open");
  EXPECT_EQ(text_at(answer, "/steps/1/status"), "PENDING");
  EXPECT_EQ(at(answer, "/steps/3/isPivot"), "true");
}

TEST(SagaExecution, ShowsWhatWasUndoneTheLastFirst) {
  SagaPlace place;
  const Sequence execution = place.begin("order-7");
  std::vector<core::SagaRecord> records = until_declined();
  for (const std::string step : {"reserveStock", "createOrder"}) {
    records.push_back(started(step, 400, Direction::compensation));
    records.push_back(answered(step, 500, SagaOutcome::ok, {}, Direction::compensation));
  }
  records.push_back(ended_as("compensated"));
  place.end(execution, "order-7", SagaState::compensated, records);
  const Answer answer = place.show("order-7");
  EXPECT_EQ(text_at(answer, "/status"), "COMPENSATED");
  EXPECT_EQ(text_at(answer, "/completedAt"), "2026-01-02T03:04:05.900Z");
  EXPECT_EQ(text_at(answer, "/failure/step"), "payment");
  EXPECT_EQ(text_at(answer, "/failure/code"), "DECLINED");
  EXPECT_EQ(text_at(answer, "/steps/0/state"), "compensated");
  EXPECT_EQ(text_at(answer, "/steps/1/state"), "failed");
  EXPECT_EQ(text_at(answer, "/steps/3/state"), "ready");
  EXPECT_EQ(size_at(answer, "/compensationLog"), 2U);
  EXPECT_EQ(text_at(answer, "/compensationLog/0/stepId"), "reserveStock");
  EXPECT_EQ(text_at(answer, "/compensationLog/0/component"), "http:stock/release");
  EXPECT_EQ(text_at(answer, "/compensationLog/0/status"), "SUCCESS");
  EXPECT_EQ(text_at(answer, "/compensationLog/1/compensatedAt"), "2026-01-02T03:04:05.500Z");
  EXPECT_EQ(at(answer, "/open"), "[]");
}

TEST(SagaExecution, NamesWhatIsOpenAndHowToSettleIt) {
  SagaPlace place;
  const Sequence execution = place.begin("order-7");
  std::vector<core::SagaRecord> records = until_declined();
  records.push_back(started("reserveStock", 400, Direction::compensation));
  records.push_back(answered("reserveStock", 500, SagaOutcome::unknown, "TX.TIMEOUT", Direction::compensation));
  records.push_back(about(RecordKind::given_up, 600, "reserveStock"));
  records.push_back(started("createOrder", 400, Direction::compensation));
  records.push_back(answered("createOrder", 500, SagaOutcome::ok, {}, Direction::compensation));
  records.push_back(ended_as("failed"));
  place.end(execution, "order-7", SagaState::failed, records);
  const Answer answer = place.show("order-7");
  EXPECT_EQ(at(answer, "/open"), R"(["reserveStock"])");
  EXPECT_EQ(text_at(answer, "/steps/2/state"), "open");
  EXPECT_EQ(text_at(answer, "/compensationLog/0/status"), "FAILED");
  EXPECT_EQ(text_at(answer, "/advice/0/command"), "makegood saga retry order-7 --reason WHY");
  EXPECT_EQ(text_at(answer, "/advice/1/command"), "makegood saga resolve order-7 reserveStock undone --reason WHY");
}

TEST(SagaExecution, SaysWhatSomebodyCanDecide) {
  SagaPlace place;
  const Sequence execution = place.begin("order 7", "acme");
  core::SagaRecord manual = about(RecordKind::to_manual, 200, "payment");
  manual.code = "SAGA.OUTCOME_UNKNOWN";
  manual.reason = "needs review";
  place.decide(execution,
               {begun(), started("createOrder", 0), answered("createOrder", 10, SagaOutcome::ok),
                started("payment", 20), answered("payment", 90, SagaOutcome::unknown, "TX.TIMEOUT"), manual});
  const Answer answer = place.get("/api/saga/executions/order%207", "tenant=acme");
  EXPECT_EQ(text_at(answer, "/status"), "MANUAL_INTERVENTION");
  EXPECT_EQ(text_at(answer, "/failure/reason"), "needs review");
  EXPECT_EQ(text_at(answer, "/steps/1/state"), "unknown");
  EXPECT_EQ(text_at(answer, "/advice/0/command"),
            "makegood saga resolve 'order 7' payment done --tenant acme --reason WHY");
}

TEST(SagaExecution, AsksForADecisionAboutAGate) {
  SagaPlace place;
  const Sequence execution = place.begin("order-7");
  place.park(execution, "order-7", SagaState::waiting, "approval",
             {begun(), about(RecordKind::asked, 5, "createOrder")});
  const Answer answer = place.show("order-7");
  EXPECT_EQ(text_at(answer, "/state"), "waiting");
  EXPECT_EQ(text_at(answer, "/status"), "RUNNING");
  EXPECT_EQ(text_at(answer, "/waitsFor"), "approval");
  EXPECT_EQ(at(answer, "/steps/0/isAsked"), "true");
  EXPECT_EQ(text_at(answer, "/advice/0/command"), "makegood saga decide order-7 createOrder approve --reason WHY");
}

TEST(SagaExecution, ShowsNoContentToWhoMayOnlyLook) {
  SagaPlace place;
  const Sequence execution = place.begin("order-7");
  place.decide(execution, {begun(), started("createOrder", 0),
                           answered("createOrder", 80, SagaOutcome::ok, R"({"orderId":"ORD-1"})")});
  EXPECT_EQ(at(place.show("order-7"), "/steps/0/output"), R"({"orderId":"ORD-1"})");
  const Answer hidden = place.call({.path = "/api/saga/executions/order-7", .sees_contents = false});
  EXPECT_EQ(at(hidden, "/isContentHidden"), "true");
  EXPECT_EQ(at(hidden, "/input"), "null");
  EXPECT_EQ(at(hidden, "/steps/0/output"), "null");
  const Answer journal = place.call({.path = "/api/saga/executions/order-7/journal", .sees_contents = false});
  EXPECT_EQ(journal.body.find("ORD-1"), std::string::npos);
}

TEST(SagaExecution, OfSeveralTenantsHasToBeNamed) {
  SagaPlace place;
  place.begin("order-7", "acme");
  EXPECT_EQ(text_at(place.show("order-7"), "/tenantId"), "acme");
  place.begin("order-7", "globex");
  EXPECT_EQ(place.show("order-7").status, 409);
  EXPECT_EQ(text_at(place.get("/api/saga/executions/order-7", "tenant=acme"), "/tenantId"), "acme");
  EXPECT_EQ(detail(place.get("/api/saga/executions/order-8", "tenant=acme")),
            "There is no execution 'order-8' of tenant 'acme'.");
  EXPECT_EQ(detail(place.show("order-8")), "There is no execution 'order-8'.");
}

TEST(SagaJournal, IsShownPageByPage) {
  SagaPlace place;
  const Sequence execution = place.begin("order-7");
  place.decide(execution, {begun(), started("createOrder", 0)});
  place.decide(execution, {answered("createOrder", 80, SagaOutcome::retry, "BUSY")});
  const Answer first = place.get("/api/saga/executions/order-7/journal", "limit=2");
  EXPECT_EQ(size_at(first, "/items"), 2U);
  EXPECT_EQ(text_at(first, "/items/0/kind"), "begun");
  EXPECT_EQ(text_at(first, "/next"), "2");
  const Answer second = place.get("/api/saga/executions/order-7/journal", "cursor=2");
  EXPECT_EQ(size_at(second, "/items"), 1U);
  EXPECT_EQ(number_at(second, "/items/0/revision"), 2);
  EXPECT_EQ(text_at(second, "/items/0/outcome"), "retry");
  EXPECT_EQ(text_at(second, "/items/0/code"), "BUSY");
  EXPECT_EQ(at(second, "/next"), "null");
}

TEST(SagaList, IsNarrowedByStateAndIdAndComesInPages) {
  SagaPlace place;
  for (const std::string id : {"a-1", "a-2", "b-1"}) {
    const Sequence execution = place.begin(id);
    place.end(execution, id, id == "b-1" ? SagaState::failed : SagaState::completed, {begun(), ended_as("failed")});
  }
  const Answer first = place.get("/api/saga/executions", "limit=2");
  EXPECT_EQ(text_at(first, "/items/0/executionId"), "b-1");
  EXPECT_EQ(
      text_at(place.get("/api/saga/executions", "limit=2&cursor=" + text_at(first, "/next")), "/items/0/executionId"),
      "a-1");
  EXPECT_EQ(size_at(place.get("/api/saga/executions", "state=completed"), "/items"), 2U);
  EXPECT_EQ(size_at(place.get("/api/saga/executions", "id=a-&chainName=orderProcess"), "/items"), 2U);
  EXPECT_EQ(size_at(place.get("/api/saga/executions", "definition=other"), "/items"), 0U);
  EXPECT_EQ(place.get("/api/saga/executions", "state=broken").status, 400);
}

TEST(DeadSagas, AreTheFailedExecutions) {
  SagaPlace place;
  const Sequence execution = place.begin("order-7");
  place.end(execution, "order-7", SagaState::failed, {begun(), ended_as("failed")});
  place.end(place.begin("order-8"), "order-8", SagaState::completed, {begun(), ended_as("completed")});
  const Answer dead = place.get("/api/saga/dead");
  EXPECT_EQ(size_at(dead, "/items"), 1U);
  EXPECT_EQ(text_at(dead, "/items/0/kind"), "saga");
  EXPECT_EQ(text_at(dead, "/items/0/executionId"), "order-7");
  EXPECT_EQ(text_at(dead, "/items/0/failure/code"), "DECLINED");
}

TEST(SagaStatus, TellsWhoWaitsForAPersonAndWhatToRun) {
  SagaPlace place;
  core::SagaRecord manual = about(RecordKind::to_manual, 200, "createOrder");
  place.park(place.begin("order-7"), "order-7", SagaState::manual, {}, {begun(), manual});
  EXPECT_EQ(text_at(place.get("/api/saga/counts"), "/items/0/status"), "MANUAL_INTERVENTION");
  const Answer status = place.get("/api/status");
  EXPECT_EQ(number_at(status, "/sagas/0/count"), 1);
  EXPECT_NE(status.body.find("1 execution of saga orderProcess waits for a person."), std::string::npos) << status.body;
  EXPECT_NE(status.body.find("makegood saga list --state manual --definition orderProcess"), std::string::npos);
}

TEST(SagaStatus, SaysNothingOfAStoreWithoutSagas) {
  Place place;
  EXPECT_EQ(at(place.get("/api/status"), "/sagas"), "[]");
  EXPECT_TRUE(troubles_of_sagas({}).empty());
}

}  // namespace
}  // namespace makegood::api
