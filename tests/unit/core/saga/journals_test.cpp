// Journals that were written once must mean the same to every later build: an execution is what its journal says.
#include <fstream>
#include <sstream>

#include "tests/unit/core/saga/saga_on_paper.hpp"

namespace makegood::core {
namespace {

std::string saga_journal(const std::string& name) {
  std::ifstream file(std::string(MAKEGOOD_SOURCE_DIR) + "/tests/unit/core/saga/journals/" + name + ".json");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

SagaDefinitionPtr definition_of_journals() {
  SagaDefinition definition{.name = "d", .version = 1};
  for (const char* name : {"a", "b", "c"}) {
    definition.steps.push_back(saga_step(name, definition.steps.size(), SagaPromise::late));
  }
  return std::make_shared<const SagaDefinition>(std::move(definition));
}

Execution folded(const std::string& name) {
  Execution execution(saga_start());
  const auto definition = definition_of_journals();
  for (const SagaRecord& record : decode_saga_records(saga_journal(name)).value()) execution.apply(record, definition);
  return execution;
}

std::string compact(std::string text) {
  for (std::size_t at = text.find("\n "); at != std::string::npos; at = text.find("\n ")) text.erase(at, 2);
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

class SagaJournals : public testing::Test {};

TEST_F(SagaJournals, AreWrittenAsTheyWereRead) {
  for (const char* name : {"completed", "compensated_again", "failed", "manual", "repinned"}) {
    const auto records = decode_saga_records(saga_journal(name)).value();
    EXPECT_EQ(encode(records), compact(saga_journal(name))) << name;
  }
}

TEST_F(SagaJournals, OfOneThatWentWellAreCompleted) {
  const Execution execution = folded("completed");
  EXPECT_EQ(execution.ended_as(), SagaState::completed);
  EXPECT_EQ(execution.facts(1).output(), R"({"id":2})");
  EXPECT_EQ(execution.facts(1).actions().lost(), 1U);
  EXPECT_TRUE(execution.facts(2).is_skipped());
}

TEST_F(SagaJournals, OfALateAnswerAreCompensatedAgain) {
  const Execution execution = folded("compensated_again");
  EXPECT_EQ(state_of(execution, {}), SagaState::compensating);
  EXPECT_TRUE(execution.is_cancelled());
  EXPECT_FALSE(execution.facts(0).is_undone());
  EXPECT_EQ(execution.facts(0).compensations().round(), 2U);
  EXPECT_EQ(execution.endings(), 1U);
}

TEST_F(SagaJournals, OfOneThatFailedListWhatIsOpen) {
  const Execution execution = folded("failed");
  EXPECT_EQ(execution.ended_as(), SagaState::failed);
  EXPECT_EQ(execution.open_steps(), std::vector<std::string>({"a"}));
  EXPECT_EQ(execution.code(), "NO_STOCK");
  EXPECT_EQ(execution.failed_step(), "b");
  EXPECT_EQ(execution.facts(1).track(Direction::action).spent(), 1U);
}

TEST_F(SagaJournals, OfOneThatWaitsForAPersonSayWhy) {
  const Execution execution = folded("manual");
  EXPECT_TRUE(execution.is_manual());
  EXPECT_EQ(state_of(execution, {}), SagaState::paused);
  EXPECT_EQ(execution.reason(), "call the bank");
  EXPECT_EQ(execution.facts(0).decision(), SagaOutcome::ok);
}

TEST_F(SagaJournals, OfOneThatGoesByAnotherVersionKeepTheBodiesOfWhatHadBegun) {
  const Execution execution = folded("repinned");
  EXPECT_EQ(execution.facts(0).track(Direction::action).body, "{}");
  EXPECT_TRUE(execution.facts(1).track(Direction::action).body.empty());
  EXPECT_EQ(execution.facts(0).actions().next_number(), 3U);
}

TEST_F(SagaJournals, WithAWordOfALaterVersionAreRefused) {
  EXPECT_FALSE(decode_saga_records(R"([{"kind":"danced","at":1}])"));
  EXPECT_FALSE(decode_saga_records("{}"));
}

}  // namespace
}  // namespace makegood::core
