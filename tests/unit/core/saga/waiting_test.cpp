// Steps that call nobody: they wait for an event, or for a time.
#include "core/saga/request.hpp"
#include "tests/unit/core/saga/saga_on_paper.hpp"

namespace makegood::core {
namespace {

class SagaWaiting : public SagaOnPaper {
 protected:
  static SagaStep waiting_step(const std::string& name, std::size_t group, const std::string& uri,
                               Duration timeout = {}) {
    SagaStep step{.name = name, .group = group, .has_no_effect = true, .timeout = timeout};
    step.action.uri = uri;
    return step;
  }
  static SagaDefinition between(const std::string& uri, Duration timeout = {}) {
    SagaDefinition definition{.name = "d", .version = 1};
    definition.steps = {saga_step("a", 0), waiting_step("w", 1, uri, timeout), saga_step("z", 2)};
    return definition;
  }
  void tell(const std::string& event, const std::string& data = R"({"cents":1.10})") {
    ask({.verb = "event", .body = data, .event = event, .request = ++request_});
  }
  Outlook outlook() { return outlook_of(execution(), decided_, around_); }

  Sequence request_ = 100;
};

TEST_F(SagaWaiting, IsOverWhenItsEventComesWhoseDataIsItsOutput) {
  begin_with(between("event:paid"));
  answer("a", SagaOutcome::ok);
  EXPECT_EQ(outlook().waits_for, "event");
  EXPECT_FALSE(outlook().wake) << "without a timeout only the event goes on with it";
  sent();
  tell("paid");
  EXPECT_TRUE(facts("w").is_done());
  EXPECT_EQ(facts("w").output(), R"({"cents":1.10})");
  EXPECT_EQ(sent(), Sent{"z/action/1.1"});
}

TEST_F(SagaWaiting, TakesAnEventThatCameBeforeItsStep) {
  begin_with(between("event:paid"));
  tell("paid");
  EXPECT_FALSE(facts("w").is_done());
  answer("a", SagaOutcome::ok);
  EXPECT_TRUE(facts("w").is_done());
}

TEST_F(SagaWaiting, UsesEachEventOnceInTheirOrder) {
  SagaDefinition definition{.name = "d", .version = 1};
  definition.steps = {waiting_step("v", 0, "event:paid"), waiting_step("w", 1, "event:paid")};
  begin_with(definition);
  tell("paid", "1");
  EXPECT_TRUE(facts("v").is_done());
  EXPECT_FALSE(facts("w").is_done());
  tell("paid", "2");
  EXPECT_EQ(facts("v").output(), "1");
  EXPECT_EQ(facts("w").output(), "2");
  EXPECT_EQ(state(), SagaState::completed);
}

TEST_F(SagaWaiting, RefusesAnEventThatNoStepWaitsFor) {
  begin_with(between("event:paid"));
  tell("payd");
  EXPECT_EQ(last_refusal(), "No step waits for the event payd.");
}

TEST_F(SagaWaiting, KeepsOnlySoManyEvents) {
  begin_with(between("event:paid"));
  for (std::size_t i = 0; i < events_kept_max; ++i) tell("paid");
  EXPECT_EQ(last_refusal(), "");
  tell("paid");
  EXPECT_EQ(last_refusal(), "There are 100 events already that no step has used.");
}

TEST_F(SagaWaiting, TurnsBackWhenTheEventDoesNotCome) {
  begin_with(between("event:paid", 1min));
  answer("a", SagaOutcome::ok);
  EXPECT_EQ(outlook().wake, around_.time + 1min);
  pass(1min);
  EXPECT_TRUE(execution().is_turned_back());
  EXPECT_EQ(execution().code(), "TX.TIMEOUT");
  undo("a");
  EXPECT_EQ(state(), SagaState::compensated) << "there is nothing to undo of the event";
}

TEST_F(SagaWaiting, HearsTheEventBeforeItsTimeCounts) {
  begin_with(between("event:paid", 1min));
  answer("a", SagaOutcome::ok);
  around_.counts = false;
  pass(2min);
  EXPECT_FALSE(execution().is_turned_back()) << "right after a taking nothing expires";
  around_.counts = true;
  tell("paid");
  EXPECT_TRUE(facts("w").is_done());
}

TEST_F(SagaWaiting, MayLeaveTheStepOutOrAskAPersonInstead) {
  for (const FailureAction action : {FailureAction::skip, FailureAction::manual}) {
    SagaDefinition definition = between("event:paid", 1min);
    definition.steps[1].on_failure = {{.code = "TX.TIMEOUT", .action = action}};
    begin_with(definition);
    answer("a", SagaOutcome::ok);
    pass(1min);
    EXPECT_EQ(facts("w").is_skipped(), action == FailureAction::skip);
    EXPECT_EQ(execution().is_manual(), action == FailureAction::manual);
  }
  ask({.verb = "retry", .step = "w"});
  EXPECT_EQ(state(), SagaState::running) << "it waits for as long again";
  EXPECT_EQ(facts("w").awaited_until(), around_.time + 1min);
  ask({.verb = "retry", .step = "w"});
  EXPECT_EQ(last_refusal(), "The step waits, and its time is not over.");
}

TEST_F(SagaWaiting, OfATimeIsOverWhenItIs) {
  begin_with(between("wait:24h"));
  answer("a", SagaOutcome::ok);
  sent();
  EXPECT_EQ(outlook().waits_for, "timer");
  EXPECT_EQ(outlook().wake, around_.time + 24h);
  pass(24h - 1s);
  EXPECT_EQ(sent(), Sent{});
  pass(1s);
  EXPECT_TRUE(facts("w").is_done());
  EXPECT_EQ(sent(), Sent{"z/action/1.1"});
}

TEST_F(SagaWaiting, GoesOnAfterAnotherOwnerHasReadItBack) {
  begin_with(between("wait:24h"));
  answer("a", SagaOutcome::ok);
  const auto journal = decode_saga_records(encode(decided_.records)).value();
  Execution read_back(saga_start());
  for (const SagaRecord& record : journal) read_back.apply(record, definition_);
  EXPECT_EQ(read_back.facts(1).awaited_until(), around_.time + 24h);
}

TEST_F(SagaWaiting, IsWrittenIntoTheJournalWithTheEvent) {
  begin_with(between("event:paid"));
  tell("paid");
  answer("a", SagaOutcome::ok);
  Execution read_back(saga_start());
  for (const SagaRecord& record : decode_saga_records(encode(decided_.records)).value()) {
    read_back.apply(record, definition_);
  }
  EXPECT_EQ(read_back.facts(1).output(), R"({"cents":1.10})");
  EXPECT_EQ(read_back.unused_event_count(), 0U);
}

TEST_F(SagaWaiting, CannotBeResolvedButSkipped) {
  begin_with(between("event:paid"));
  answer("a", SagaOutcome::ok);
  ask({.verb = "resolve", .step = "w", .choice = "done"});
  EXPECT_EQ(last_refusal(), "The step calls nobody: tell of its event, or skip it.");
  ask({.verb = "skip", .step = "w"});
  EXPECT_TRUE(facts("w").is_skipped());
}

TEST_F(SagaWaiting, CountsNotAsActive) {
  SagaDefinition definition = between("event:paid");
  definition.timeout = 1min;
  begin_with(definition);
  answer("a", SagaOutcome::ok);
  pass(1h);
  EXPECT_FALSE(execution().is_turned_back());
}

TEST(SagaEventRow, KeepsTheDigitsOfItsData) {
  const NewMessage row =
      request_row("x", {.verb = "event", .body = R"({"cents":1.10,"id":12345678901234567890})", .event = "paid"});
  const std::array texts = {MessageText{&Message::topic, row.topic}, MessageText{&Message::content, row.payload}};
  const auto message = new_message(texts);
  const LogRequest read = read_request(*message);
  const auto& about = std::get<AboutExecution>(read);
  EXPECT_EQ(about.id, "x");
  EXPECT_EQ(std::get<SagaRequest>(about.what).event, "paid");
  EXPECT_EQ(std::get<SagaRequest>(about.what).body, R"({"cents":1.10,"id":12345678901234567890})");
}

}  // namespace
}  // namespace makegood::core
