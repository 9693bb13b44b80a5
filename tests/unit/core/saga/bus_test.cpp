// Steps over a bus: a message of the outbox asks for them, and their answers come later.
#include "core/saga/posts.hpp"
#include "tests/unit/core/saga/saga_on_paper.hpp"

namespace makegood::core {
namespace {

class SagaBus : public SagaOnPaper {
 protected:
  static SagaDefinition by_bus(SagaPromise promise = SagaPromise::late) {
    SagaDefinition definition = chain({"a", "b"}, promise);
    definition.steps[0].action.uri = "bus:shop.mail.wanted";
    definition.steps[0].compensation->uri = "bus:shop.mail.unwanted";
    return definition;
  }
  std::vector<NewMessage> messages() {
    std::vector<NewMessage> messages;
    for (const SagaSend& post : std::exchange(decided_.posts, {})) {
      messages.push_back(bus_message(execution(), post, callback_));
    }
    return messages;
  }

  CallbackAddress callback_ = [](const Execution& /*execution*/, const SagaSend& send) {
    return "http://here/answer?attempt=" + std::to_string(send.attempt);
  };
};

TEST_F(SagaBus, AsksByAMessageOfTheSameTurn) {
  begin_with(by_bus(), R"({"to":"ann"})");
  EXPECT_EQ(sent(), Sent{}) << "nobody is called";
  const auto asked = messages();
  ASSERT_EQ(asked.size(), 1U);
  const NewMessage& message = asked.front();
  EXPECT_EQ(message.topic, "shop.mail.wanted");
  EXPECT_EQ(message.payload, R"({"to":"ann"})");
  EXPECT_EQ(message.event_id, "saga:x:a:action:1:1");
  EXPECT_EQ(message.expires_at, around_.time + 10s);
  EXPECT_EQ(message.headers.at("saga-key"), "default/x/a/action/1");
  EXPECT_EQ(message.headers.at("saga-callback"), "http://here/answer?attempt=1");
  EXPECT_FALSE(message.headers.contains("saga-action-key"));
}

TEST_F(SagaBus, KeepsActionAndCompensationInTheirOrder) {
  begin_with(by_bus());
  const auto action = messages();
  answer("a", SagaOutcome::ok);
  answer("b", SagaOutcome::fail, "NO");
  const auto compensation = messages();
  ASSERT_EQ(action.size(), 1U);
  ASSERT_EQ(compensation.size(), 1U);
  EXPECT_EQ(compensation.front().topic, "shop.mail.unwanted");
  EXPECT_EQ(compensation.front().dispatch_key, action.front().dispatch_key);
  EXPECT_EQ(compensation.front().headers.at("saga-action-key"), "default/x/a/action/1");
  undo("a");
  EXPECT_EQ(state(), SagaState::compensated);
}

TEST_F(SagaBus, IsNotLostWithItsOwner) {
  begin_with(by_bus());
  messages();
  take_it_over();
  EXPECT_FALSE(has(RecordKind::lost)) << "the outbox hands it over, whoever owns the shard";
  EXPECT_TRUE(messages().empty());
  answer("a", SagaOutcome::ok);
  EXPECT_TRUE(facts("a").is_done());
}

TEST_F(SagaBus, AsksAgainUnderTheSameKeyWhenNobodyAnswersInTime) {
  begin_with(by_bus());
  const auto first = messages();
  pass(10s);
  pass(2s);
  const auto second = messages();
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second.front().headers.at("saga-key"), first.front().headers.at("saga-key"));
  EXPECT_NE(second.front().event_id, first.front().event_id) << "another message, or the outbox would drop it";
}

TEST_F(SagaBus, TakesANoForNothingWhereAMessageMayRunTwice) {
  begin_with(by_bus(SagaPromise::keyed));
  answer("a", SagaOutcome::fail, "NO_MAILBOX");
  EXPECT_TRUE(facts("a").may_be_done(SagaPromise::keyed));
  EXPECT_FALSE(execution().is_turned_back()) << "it is asked again first";
}

TEST_F(SagaBus, BelievesANoThatABarrierKeeps) {
  begin_with(by_bus(SagaPromise::barrier));
  answer("a", SagaOutcome::fail, "NO_MAILBOX");
  EXPECT_FALSE(facts("a").may_be_done(SagaPromise::barrier));
  EXPECT_EQ(state(), SagaState::compensated);
}

TEST_F(SagaBus, ReplayedAfterItsCompensationHasExpiredOrIsCompensatedAgain) {
  begin_with(by_bus());
  const auto dead = messages();
  ask({.verb = "cancel"});
  EXPECT_TRUE(messages().empty()) << "the dead letter could still be replayed";
  pass(10s);
  ASSERT_LE(dead.front().expires_at, around_.time) << "from now on the outbox does not send it any more";
  ASSERT_EQ(messages().size(), 1U) << "the compensation";
  undo("a");
  EXPECT_EQ(state(), SagaState::cancelled);
  // It was on its way already when it expired.
  answer("a", SagaOutcome::ok);
  EXPECT_EQ(state(), SagaState::compensating);
  EXPECT_EQ(messages().front().headers.at("saga-round"), "2");
  undo("a");
  EXPECT_EQ(state(), SagaState::cancelled);
}

TEST_F(SagaBus, HasAnEventOfItsOwnHoweverLongItsNamesAre) {
  const std::string name(200, 'x');
  EXPECT_EQ(event_id_for("saga:a"), "saga:a");
  EXPECT_LE(event_id_for(name).size(), 128U);
  EXPECT_NE(event_id_for(name), event_id_for(name + "y"));
}

}  // namespace
}  // namespace makegood::core
