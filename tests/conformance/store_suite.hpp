// The conformance suite for stores: every promise of makegood/spi/store.hpp, written once. A backend joins with a file
// NAME_under_test.cpp and one line in CMakeLists.txt. The chapters are the *_chapter.cpp files; "I1" to "I10" in them
// are the invariants of ARCHITECTURE.md.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/spi/store.hpp"
#include "tests/conformance/no_open_numbers.hpp"
#include "tests/conformance/store_under_test.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::conformance {

using namespace std::chrono_literals;
using testing_support::a_message;
using testing_support::a_parked;
using testing_support::event_id_for;
using testing_support::name_of;
using testing_support::ParkedBuilder;

inline constexpr Duration lease = 10s;

inline auto of_acme(std::string_view name) { return a_message(name).of_tenant("acme"); }

/// What a turn says besides who says it.
struct Said {
  Position position = {};
  LogMark mark = {};
  std::vector<Turn::Change> parked = {};
  std::vector<RequestAnswer> answers = {};
  std::optional<Clean> clean = {};
  Duration lease = conformance::lease;
  std::optional<Routing> routing = {};
  std::int64_t oldest_routing = 0;
  std::vector<NewMessage> messages = {};
  Duration set_back = {};
  bool is_rewind = false;
};

/// An owner of the lane, as the engine is one: it remembers its last turn and follows it.
class LaneOwner {
 public:
  LaneOwner(OutboxStore& store, Owner name, Taken taken);

  Result<Committed> try_commit(const Said& said);
  Committed commit(const Said& said) { return value_of(try_commit(said)); }
  /// Remembers an older turn again, as one does whose memory is from before.
  void remember(TurnNumber turn) { turn_ = turn; }

  Found look(LookFor wanted) const;
  std::vector<DueDelivery> due(const std::string& destination, std::size_t rows_max = 100) const;

  const Owner& name() const { return name_; }
  const Taken& taken() const { return taken_; }
  TurnNumber turn() const { return turn_; }

 private:
  OutboxStore& store_;
  Owner name_;
  Taken taken_;
  TurnNumber turn_;
};

/// Everything from `reached` on, with room for all.
LookFor all_beyond(Sequence reached, std::vector<Sequence> numbers = {});
LookFor late_and_beyond(Sequence reached, NumberSet open);
std::vector<std::string> names(const std::vector<MessagePtr>& rows);
std::vector<std::string> names(const std::vector<DueDelivery>& due);
std::vector<Sequence> sequences(const std::vector<MessagePtr>& rows);

class StoreSuite : public ::testing::TestWithParam<StoreKind> {
 protected:
  StoreSuite() : under_test_(GetParam().open()), store_(under_test_->connect()) {}

  std::unique_ptr<OutboxStore> connect() { return under_test_->connect(); }
  std::unique_ptr<OutboxView> view() { return under_test_->connect_view(); }
  std::unique_ptr<Producer> begin() { return under_test_->begin(); }
  std::unique_ptr<SqlShell> open_shell() { return under_test_->open_shell(); }
  testing_support::FakeClock& clock() { return under_test_->clock; }
  OutboxStore& store() { return *store_; }
  StoreUnderTest& hand_from_outside() { return *under_test_; }
  bool numbers_may_stay_open() const { return store_->features().numbers_may_stay_open; }

  Sequence enqueue(const NewMessage& message);
  std::vector<Sequence> enqueue_all(std::initializer_list<NewMessage> messages);
  /// What a look from the very beginning shows.
  std::vector<std::string> log();

  /// Looks again until no number is open: a store may take its time to find out that one will never appear.
  Found look_until_closed(const LookFor& wanted);

  LaneOwner take(OutboxStore& store, const Owner& name, const Owner& former = {});
  LaneOwner take(const Owner& name = "a") { return take(store(), name); }
  /// Lets the lease of whoever owns the lane run out.
  void expire_lease() { clock().advance(lease + 1ms); }

 private:
  std::unique_ptr<StoreUnderTest> under_test_;
  std::unique_ptr<OutboxStore> store_;
};

}  // namespace makegood::conformance
