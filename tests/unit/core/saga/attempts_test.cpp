#include "core/saga/attempts.hpp"

#include <gtest/gtest.h>

namespace makegood::core {
namespace {

class SagaAttempts : public testing::Test {
 protected:
  void begin(std::uint32_t attempt, std::uint32_t round = 1) {
    attempts_.start({.kind = RecordKind::started, .round = round, .attempt = attempt, .until = TimePoint()});
  }
  void answer(std::uint32_t attempt, SagaOutcome outcome, std::uint32_t round = 1, bool is_spent = true) {
    SagaRecord record{.kind = RecordKind::answered, .round = round, .attempt = attempt, .outcome = outcome};
    record.is_spent = is_spent;
    attempts_.answer(record);
  }
  Attempts attempts_;
};

TEST_F(SagaAttempts, AreNotDoneBeforeTheFirst) { EXPECT_FALSE(attempts_.may_be_done(SagaPromise::keyed)); }

TEST_F(SagaAttempts, MayBeDoneWhileOneIsUnderWay) {
  begin(1);
  EXPECT_TRUE(attempts_.may_be_done(SagaPromise::keyed));
  EXPECT_TRUE(attempts_.may_still_run());
}

TEST_F(SagaAttempts, MayBeDoneIfOneIsUnknownWhateverTheLaterOnesSay) {
  begin(1);
  answer(1, SagaOutcome::unknown);
  begin(2);
  answer(2, SagaOutcome::fail);
  EXPECT_TRUE(attempts_.may_be_done(SagaPromise::keyed));
  EXPECT_TRUE(attempts_.may_be_done(SagaPromise::late));
}

TEST_F(SagaAttempts, AreSettledByADefiniteFailureAtABarrier) {
  begin(1);
  answer(1, SagaOutcome::unknown);
  begin(2);
  answer(2, SagaOutcome::fail);
  EXPECT_FALSE(attempts_.may_be_done(SagaPromise::barrier));
}

TEST_F(SagaAttempts, AreSettledOnlyInTheRoundOfTheFailure) {
  begin(1);
  answer(1, SagaOutcome::fail);
  attempts_.begin_round(2);
  begin(1, 2);
  answer(1, SagaOutcome::unknown, 2);
  EXPECT_TRUE(attempts_.may_be_done(SagaPromise::barrier));
}

TEST_F(SagaAttempts, AreNotDoneIfEachCertainlyWasNot) {
  begin(1);
  answer(1, SagaOutcome::retry);
  begin(2);
  answer(2, SagaOutcome::fail);
  EXPECT_FALSE(attempts_.may_be_done(SagaPromise::late));
}

TEST_F(SagaAttempts, KeepAnOk) {
  begin(1);
  answer(1, SagaOutcome::ok);
  answer(1, SagaOutcome::fail);
  EXPECT_TRUE(attempts_.is_ok());
}

TEST_F(SagaAttempts, AreNotSpentOnWhoeverWasNotReached) {
  begin(1);
  answer(1, SagaOutcome::retry, 1, false);
  EXPECT_EQ(attempts_.spent(), 0U);
  EXPECT_EQ(attempts_.next_number(), 2U);
}

TEST_F(SagaAttempts, AreUnderWayNoMoreWhenTheirOwnerDiedAndMayStillRun) {
  begin(1);
  attempts_.lose(1, 1);
  EXPECT_FALSE(attempts_.is_under_way());
  EXPECT_TRUE(attempts_.may_still_run());
  EXPECT_EQ(attempts_.lost(), 1U);
}

TEST_F(SagaAttempts, AreDeniedUntilAnAnswerKnowsBetter) {
  begin(1);
  answer(1, SagaOutcome::unknown);
  attempts_.deny_all();
  EXPECT_FALSE(attempts_.may_be_done(SagaPromise::late));
  answer(1, SagaOutcome::ok);
  EXPECT_TRUE(attempts_.may_be_done(SagaPromise::late));
  EXPECT_TRUE(attempts_.was_ever_ok());
}

}  // namespace
}  // namespace makegood::core
