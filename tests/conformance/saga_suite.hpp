// The conformance suite for stores of sagas: every promise of makegood/spi/saga_store.hpp, written once. The chapters
// are the saga_*_chapter.cpp files. What a log promises as such is in the suite for stores.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "tests/conformance/saga_under_test.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::conformance {

using namespace std::chrono_literals;

inline constexpr Duration saga_lease = 10s;

NewMessage a_start(const std::string& id, const std::string& definition = "order", const std::string& input = "{}");
NewMessage a_request(const std::string& topic, const std::string& payload);

class SagaSuite : public ::testing::TestWithParam<SagasKind> {
 protected:
  SagaSuite() : under_test_(GetParam().open()), store_(under_test_->connect()), view_(under_test_->connect_view()) {}

  SagasUnderTest& under_test() { return *under_test_; }
  SagaStore& store() { return *store_; }
  SagaView& view() { return *view_; }
  testing_support::FakeClock& clock() { return under_test_->clock; }
  std::unique_ptr<Starter> begin() { return under_test_->begin(); }

  Sequence start(const NewMessage& start);
  /// Makes this test's own owner, whose turns follow each other.
  void take(const Owner& owner = "a");
  /// A turn of that owner, with the position it has reached by now.
  SagaTurn next_turn(Sequence reached = 0) const;
  Result<Committed> try_commit(const SagaTurn& turn);
  void commit(const SagaTurn& turn) { value_of(try_commit(turn)); }

  SagaSummary summary(Sequence execution, SagaState state, const std::string& id = "o1",
                      const std::string& definition = "order");
  SagaEnd an_end(Sequence execution, SagaState state = SagaState::completed, const std::string& id = "o1",
                 const std::string& definition = "order");
  SagaParked a_parked_saga(Sequence execution, std::optional<TimePoint> due_at, const std::string& id = "o1");

  std::optional<SagaLoaded> load(Sequence execution);
  std::vector<std::string> outbox_topics();
  /// Everything that the log shows from its very beginning.
  std::vector<MessagePtr> log(SagaStore& store);
  std::vector<std::string> listed(const SagaFilter& filter);

  Owner owner_;
  TurnNumber turn_ = 0;

 private:
  std::unique_ptr<SagasUnderTest> under_test_;
  std::unique_ptr<SagaStore> store_;
  std::unique_ptr<SagaView> view_;
};

/// o0 completed, o1 failed, o2 waiting, o3 manual, o4 in memory, r5 (a refund of acme) compensated, o6 not read yet.
class SagaLists : public SagaSuite {
 protected:
  SagaLists();
  /// All pages, one after the other.
  std::vector<std::string> paged(const SagaFilter& filter, std::size_t rows_max, std::size_t looked_max);

  std::vector<Sequence> numbers_;
};

/// `o1` holds the key `k`; `o2` and `o3` wait for it.
class SagaKeys : public SagaSuite {
 protected:
  SagaKeys();
  static SagaKeyHeld held_by(Sequence execution, const std::string& id, const std::string& tenant_id = "default");
  SagaParked a_waiting(Sequence execution, const std::string& id);
  void leave(Sequence execution, const std::string& id);
  Sequence holder(const std::string& tenant_id = "default");

  Sequence first_;
  Sequence second_;
  Sequence third_;
};

/// o0 completed, o1 failed, o2 compensated, o3 and o4 wait; then a request.
class SagaOld : public SagaSuite {
 protected:
  SagaOld();
  static SagaUpkeep step(std::size_t rows_max);
  SagaTurn a_turn(std::size_t rows_max = 100);
  /// Answers how many rows that went over.
  std::size_t keep_up(std::size_t rows_max = 100);
  SagaStatistics counted();

  std::vector<Sequence> numbers_;
  Sequence request_ = 0;
};

}  // namespace makegood::conformance
