#include <gtest/gtest.h>

#include "base/saga_token.hpp"
#include "core/saga/request.hpp"
#include "tests/support/value_of.hpp"
#include "tests/unit/api/saga_place.hpp"

namespace makegood::api {
namespace {

using core::RecordKind;

/// What the row with this number asks for.
core::SagaRequest asked_in(SagaPlace& place, Sequence number) {
  const auto request = core::read_request(*place.row(number));
  return std::get<core::SagaRequest>(std::get<core::AboutExecution>(request).what);
}

TEST(SagaRequest, IsRecordedForWhoeverRunsTheExecution) {
  SagaPlace place;
  place.begin("order-7");
  const Answer answer =
      place.post("/api/saga/executions/order-7/pause", R"({"reason":"stock count","state":"running"})");
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(text_at(answer, "/result"), "open");
  EXPECT_GT(number_at(answer, "/request"), 0);
}

TEST(SagaEvent, IsRecordedAsItWasTold) {
  SagaPlace place;
  place.begin("order-7");
  const std::string events = "/api/saga/executions/order-7/events";
  const Answer answer = place.post(events, R"({"event":"paid","data":{"cents":1.10},"id":"p-1"})");
  EXPECT_EQ(answer.status, 202) << answer.body;
  const core::SagaRequest told = asked_in(place, number_at(answer, "/request"));
  EXPECT_EQ(told.verb, "event");
  EXPECT_EQ(told.event, "paid");
  EXPECT_EQ(told.body, R"({"cents":1.10})");
  const Answer again = place.post(events, R"({"event":"paid","data":{"cents":1.10},"id":"p-1"})");
  EXPECT_EQ(number_at(again, "/request"), number_at(answer, "/request")) << "the same event counts once";
  EXPECT_EQ(place.post(events, R"({"data":1})").status, 400);
  EXPECT_EQ(place.post("/api/saga/executions/nobody/events", R"({"event":"paid"})").status, 404);
}

TEST(SagaRequest, NeedsAReason) {
  SagaPlace place;
  place.begin("order-7");
  for (const std::string verb : {"pause", "resume", "cancel", "retry", "compensate"}) {
    const Answer answer = place.post("/api/saga/executions/order-7/" + verb, "{}");
    EXPECT_EQ(answer.status, 400) << verb;
    EXPECT_NE(detail(answer).find("reason is missing"), std::string::npos) << detail(answer);
  }
}

TEST(SagaRequest, IsRefusedWithTheSentenceOfTheJournal) {
  SagaPlace place;
  const Sequence execution = place.begin("order-7");
  core::SagaRecord refused = about(RecordKind::refused, 10);
  refused.error = "Its pivot may be done: it only goes forward.";
  refused.request = execution + 1;  // The number that the request will have.
  place.decide(execution, {begun(), refused});
  const Answer answer = place.post("/api/saga/executions/order-7/cancel", R"({"reason":"the customer called"})");
  EXPECT_EQ(answer.status, 409) << answer.body;
  EXPECT_EQ(detail(answer), "It was refused: Its pivot may be done: it only goes forward.");
}

TEST(SagaRequest, IsDoneOnceTheJournalNamesIt) {
  SagaPlace place;
  const Sequence execution = place.begin("order-7");
  core::SagaRecord paused = about(RecordKind::paused, 10);
  paused.request = execution + 1;
  place.decide(execution, {begun(), paused});
  const Answer answer = place.post("/api/saga/executions/order-7/pause", R"({"reason":"stock count"})");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(text_at(answer, "/result"), "done");
  EXPECT_EQ(text_at(answer, "/state"), "paused");
}

TEST(SagaRequest, LeavesANoteThatWhoeverLooksIsShown) {
  SagaPlace place;
  const Sequence execution = place.begin("order-7");
  const Answer asked = place.post("/api/saga/executions/order-7/annotate", R"({"reason":"the customer called"})");
  EXPECT_EQ(asked.status, 202) << asked.body;
  EXPECT_EQ(asked_in(place, number_at(asked, "/request")).verb, "annotate");
  core::SagaRecord note = about(RecordKind::noted, 10);
  note.operator_name = "ann";
  note.reason = "the customer called";
  core::SagaRecord late = about(RecordKind::noted, 11, "payment");
  place.decide(execution, {begun(), note, late});
  const Answer shown = place.show("order-7");
  EXPECT_EQ(text_at(shown, "/notes/0/operator"), "ann");
  EXPECT_EQ(text_at(shown, "/notes/0/note"), "the customer called");
  EXPECT_EQ(shown.body.find("\"operator\"", shown.body.find("the customer called")), std::string::npos)
      << "a late answer is no note";
}

TEST(SagaRequest, SaysWhoAsksAndWhatForInItsRow) {
  SagaPlace place;
  place.begin("order-7");
  const Answer answer = place.post("/api/saga/executions/order-7/resolve",
                                   R"({"reason":"seen in the bank's books","step":"payment","outcome":"done",
                                       "output":{"paymentId":9},"state":"manual"})");
  const core::SagaRequest asked = asked_in(place, number_at(answer, "/request"));
  EXPECT_EQ(asked.verb, "resolve");
  EXPECT_EQ(asked.step, "payment");
  EXPECT_EQ(asked.choice, "done");
  EXPECT_EQ(asked.body, R"({"paymentId":9})");
  EXPECT_EQ(asked.seen_state, "manual");
  EXPECT_EQ(asked.operator_name, "alice");
  EXPECT_EQ(asked.reason, "seen in the bank's books");
}

TEST(SagaRequest, AboutAStepNamesIt) {
  SagaPlace place;
  place.begin("order-7");
  EXPECT_NE(detail(place.post("/api/saga/executions/order-7/decide", R"({"reason":"r"})")).find("decision is missing"),
            std::string::npos);
  EXPECT_NE(detail(place.post("/api/saga/executions/order-7/skip", R"({"reason":"r"})")).find("step is missing"),
            std::string::npos);
  EXPECT_EQ(place.post("/api/saga/executions/order-9/skip", R"({"reason":"r","step":"payment"})").status, 404);
}

class Callback : public ::testing::Test {
 protected:
  Callback() { place.begin("order-7"); }

  std::string path_for(std::uint32_t attempt = 1) {
    return callback_path(value_of(place.view().callback_key()), {.tenant_id = "default",
                                                                 .execution = "order-7",
                                                                 .step = "payment",
                                                                 .direction = "action",
                                                                 .round = 1,
                                                                 .attempt = attempt});
  }
  Answer answer_with(const std::string& address, const std::string& body) {
    const std::size_t question = address.find('?');
    return place.call({.method = "POST",
                       .path = address.substr(0, question),
                       .query = address.substr(question + 1),
                       .content_type = "application/json",
                       .body = body});
  }
  core::SagaAnswer heard(const Answer& answer) {
    const auto request = core::read_request(*place.row(number_at(answer, "/request")));
    return std::get<core::SagaAnswer>(std::get<core::AboutExecution>(request).what);
  }

  SagaPlace place;
};

TEST_F(Callback, SaysWhatBecameOfTheAttempt) {
  const Answer answer =
      answer_with(path_for(2), R"({"outcome":"fail","code":"INSUFFICIENT_FUNDS","error":"no money"})");
  EXPECT_EQ(answer.status, 200) << answer.body;
  const core::SagaAnswer said = heard(answer);
  EXPECT_EQ(said.step, "payment");
  EXPECT_EQ(said.attempt, 2U);
  EXPECT_EQ(said.outcome, SagaOutcome::fail);
  EXPECT_EQ(said.code, "INSUFFICIENT_FUNDS");
}

TEST_F(Callback, IsTheOutputItselfWhenItSaysNoOutcome) {
  const Answer answer = answer_with(path_for(), R"({"paymentId":"p-9","outcome":"brilliant"})");
  const core::SagaAnswer said = heard(answer);
  EXPECT_EQ(said.outcome, SagaOutcome::ok);
  EXPECT_EQ(said.output, R"({"paymentId":"p-9","outcome":"brilliant"})");
}

TEST_F(Callback, MayBeRepeated) {
  const Answer first = answer_with(path_for(), R"({"outcome":"ok"})");
  const Answer again = answer_with(path_for(), R"({"outcome":"ok"})");
  EXPECT_EQ(at(again, "/wasThere"), "true");
  EXPECT_EQ(number_at(again, "/request"), number_at(first, "/request"));
  const Answer other = answer_with(path_for(), R"({"outcome":"fail","code":"LATER"})");
  EXPECT_EQ(other.status, 409);
}

TEST_F(Callback, WithoutTheTokenOfItsStepIsForbidden) {
  const std::string address = path_for();
  std::string other_step = address;
  other_step.replace(other_step.find("payment"), 7, "confirm");
  EXPECT_EQ(answer_with(other_step, "{}").status, 403);
  EXPECT_EQ(answer_with(address.substr(0, address.find('?')) + "?token=1.2.3", "{}").status, 403);
  EXPECT_EQ(place.post(address.substr(0, address.find('?')), "{}").status, 403);
}

TEST_F(Callback, MayHaveItsTokenInAHeader) {
  const std::string address = path_for();
  const Call call{.method = "POST",
                  .path = address.substr(0, address.find('?')),
                  .content_type = "application/json",
                  .body = "{}",
                  .callback_token = address.substr(address.find('=') + 1)};
  EXPECT_EQ(place.call(call).status, 200);
}

}  // namespace
}  // namespace makegood::api
