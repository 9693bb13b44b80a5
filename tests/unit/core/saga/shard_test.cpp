// The shard between two exchanges, without a store: what it was not told yet.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/log_row.hpp"
#include "core/saga/shard.hpp"

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

class SagaShard : public testing::Test {
 protected:
  SagaShard() {
    SagaDefinition definition{.name = "d", .version = 1};
    SagaStep step{.name = "w", .has_no_effect = true, .timeout = 1s};
    step.action.uri = "event:paid";
    definition.steps.push_back(std::move(step));
    definition_ = std::make_shared<const SagaDefinition>(std::move(definition));
    shard_.begin("owner", {.turn = 1, .position = {.reached = 4}, .now = TimePoint(1000h), .incarnation = "here"},
                 now_);
  }

  static MessagePtr row(Sequence number, std::string_view id, std::string_view topic, std::string_view content) {
    auto row = new_message(std::to_array<MessageText>({{&Message::event_id, id},
                                                       {&Message::tenant_id, "default"},
                                                       {&Message::topic, topic},
                                                       {&Message::content, content}}));
    row->sequence = number;
    return row;
  }
  void look_at_event() {
    EXPECT_EQ(shard_.look_for(now_).reached, 4);
    Found found{.now = TimePoint(1000h), .counter = 5};
    found.rows = {row(5, "r", "makegood.saga.event", R"({"execution":"x","event":"paid"})")};
    found.looked_to = 5;
    shard_.read(std::move(found), now_);
  }
  /// As the store would answer, where `x` is the execution 2, which waits.
  ShardSupply answer_to(const ShardNeeds& needs) const {
    ShardSupply supply;
    for (std::size_t i = 0; i < needs.ids.size(); ++i) supply.ids.emplace_back(2);
    SagaRecord begun{.kind = RecordKind::begun, .at = TimePoint(999h), .version = 1};
    for (std::size_t i = 0; i < needs.executions.size(); ++i) {
      supply.executions.push_back({.start = row(2, "x", "d", "{}"), .journal = {{2, 1, encode({begun})}}});
    }
    for (std::size_t i = 0; i < needs.definitions.size(); ++i) supply.definitions.push_back(definition_);
    return supply;
  }
  /// The clock of the store says so much more than at the beginning; `rows` are new.
  std::string records_at(Duration later, std::vector<MessagePtr> rows = {}) {
    const Sequence last = rows.empty() ? shard_.look_for(now_).reached : rows.back()->sequence;
    Found found{.now = TimePoint(1000h) + later, .counter = last};
    found.rows = std::move(rows);
    found.looked_to = last;
    shard_.look_for(now_);
    shard_.read(std::move(found), now_);
    const SagaTurn* turn = decide_after(8);
    if (turn == nullptr) return {};
    std::string records = turn->journal.empty() ? "" : turn->journal.front().records;
    shard_.committed({.turn = ++turn_}, now_);
    return records;
  }
  const SagaTurn* decide_after(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      const ShardNeeds needs = shard_.needs();
      if (!needs.empty()) shard_.supply(needs, answer_to(needs));
    }
    return shard_.decide(now_);
  }

  TurnNumber turn_ = 1;
  MonotonicTime now_ = MonotonicTime(1h);
  SagaDefinitionPtr definition_;
  Shard shard_{{}, 1};
};

TEST_F(SagaShard, ReadsARequestAgainWhoseExecutionItDoesNotKnowYet) {
  look_at_event();
  const SagaTurn* early = decide_after(1);
  if (early != nullptr) {
    EXPECT_EQ(early->turn.position.reached, 4) << "the request is not passed";
    EXPECT_TRUE(early->journal.empty());
    shard_.committed({.turn = ++turn_}, now_);
  }
  EXPECT_LE(shard_.next_exchange(now_), now_) << "at once";
  look_at_event();
  const SagaTurn* turn = decide_after(8);
  ASSERT_NE(turn, nullptr);
  EXPECT_EQ(turn->turn.position.reached, 5);
  ASSERT_EQ(turn->journal.size(), 1U);
  EXPECT_NE(turn->journal.front().records.find("event_kept"), std::string::npos);
}

TEST_F(SagaShard, AsksAnewWhatItWasToldBeforeALookFailed) {
  look_at_event();
  const ShardNeeds needs = shard_.needs();
  ShardSupply absent = answer_to(needs);
  absent.ids = {std::nullopt};
  shard_.supply(needs, std::move(absent));
  shard_.look_failed();
  look_at_event();
  EXPECT_EQ(shard_.needs().ids.size(), 1U) << "it may have come meanwhile";
}

TEST_F(SagaShard, DoesNotWaitForTheTimeOfAClockThatWasSetBackBeforeATurn) {
  EXPECT_EQ(records_at(30min), "") << "it was ahead, and no turn says so";
  EXPECT_NE(records_at(28min, {row(5, "y", "d", "{}")}), "");
  EXPECT_EQ(records_at(28min + 2s), "") << "what comes after a gap is heard first";
  EXPECT_NE(records_at(28min + 6s).find("TX.TIMEOUT"), std::string::npos);
}

}  // namespace
}  // namespace makegood::core
