// Every promise of a participant's barrier, demanded of each form of it: C++ and plain SQL, on each database.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "makegood/saga_barrier.hpp"

namespace makegood::conformance {

/// A participant's own transaction, on a connection of its own. Rolled back unless committed.
class BarrierTransaction {
 public:
  virtual ~BarrierTransaction() = default;
  virtual Result<SagaStepResult> act(const BarrierKey& key, const BarrierEffect& effect) = 0;
  virtual Result<SagaStepResult> compensate(const BarrierKey& key, const BarrierUndo& undo) = 0;
  /// What fails throws.
  virtual std::string ask(const std::string& sql) = 0;
  /// False: nothing was committed.
  virtual bool commit() = 0;
};

/// One fresh database with the barrier's table.
class BarrierUnderTest {
 public:
  virtual ~BarrierUnderTest() = default;
  virtual std::unique_ptr<BarrierTransaction> begin() = 0;
  /// A statement that commits by itself.
  virtual std::string ask(const std::string& sql) = 0;
};

struct BarrierKind {
  std::string name;
  std::function<std::unique_ptr<BarrierUnderTest>()> open;
};
inline std::ostream& operator<<(std::ostream& out, const BarrierKind& kind) { return out << kind.name; }

/// A participant that moves money: its effects are rows, and their sum is what it has taken.
class BarrierSuite : public ::testing::TestWithParam<BarrierKind> {
 protected:
  BarrierSuite() { under_test_->ask("CREATE TABLE ledger (cents integer)"); }

  static BarrierKey of_round(std::uint32_t round) {
    return {.execution = "order-1", .step = "payment", .round = round};
  }
  /// What a participant does with a request: one transaction, and the answer after its commit.
  static std::string answer(BarrierUnderTest& under_test,
                            const std::function<Result<SagaStepResult>(BarrierTransaction&)>& ask);
  std::string charge(const BarrierKey& key, const std::string& cents = "100");
  std::string charge_with(const BarrierKey& key, const SagaStepResult& result);
  std::string refund(const BarrierKey& key);
  /// What is taken, and how many entries there are.
  std::string taken() { return under_test_->ask("SELECT coalesce(sum(cents), 0) FROM ledger"); }
  std::string entries() { return under_test_->ask("SELECT count(*) FROM ledger"); }

  std::unique_ptr<BarrierUnderTest> under_test_ = GetParam().open();
};

}  // namespace makegood::conformance
