// A lane over the store in memory: for stories in which what a look finds follows from what was decided before, as it
// does with side lanes. Numbers count from 1.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "stores/memory/memory.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/relay_by_hand.hpp"
#include "tests/unit/core/printing.hpp"

namespace makegood::core {

using namespace std::chrono_literals;
using testing_support::a_message;
using testing_support::RelayByHand;

using Numbers = std::vector<Sequence>;
using Sends = std::vector<std::pair<Sequence, std::string>>;
using Why = SideLane::Why;

inline const Scope all_of_a{"fn:a"};
inline const Scope acme_at_a{"fn:a", "acme"};

class LaneOnStore : public testing::Test {
 protected:
  LaneOnStore();

  // The setting: to be changed before take().
  DispatcherOptions options;
  Destination& destination(const std::string& name = "fn:a");
  Destination& add_destination(const std::string& name, const std::string& pattern = "*");

  // Producers. Each message has a name of its own.
  static NewMessage message(std::string key = {}, std::string tenant = "default");
  Sequence enqueue(const NewMessage& message);
  void enqueue(std::size_t count, const NewMessage& like = message());
  std::unique_ptr<memory::Transaction> begin_transaction() { return memory::begin(database_, clock_); }

  // Owners.
  void take();
  /// The owner is gone without a word; when its lease is over, another one takes the lane.
  void die_and_take_over();
  void stop_and_take_over();
  /// The owner takes its own lane anew, as it does when it was fenced.
  void take_again();
  /// As take(), with the settings that the test has changed meanwhile.
  void restart_with_new_settings() { stop_and_take_over(); }

  // Operators.
  /// Asks, and lets the owner carry it out.
  std::string ask(NewRequest request);
  std::int64_t request(NewRequest request);
  std::string answer_to(std::int64_t request);
  std::string pause(const std::string& destination = "fn:a", const std::string& tenant = {});
  std::string resume(const std::string& destination = "fn:a", const std::string& tenant = {});
  std::string replay_history(Sequence from, Sequence until, const std::string& tenant = {},
                             const std::string& destination = "fn:a");

  // What happens. Everything sent is written down in `received`.
  void exchange() { relay().exchange(); }
  Numbers sent();
  Sends sends();
  void succeeds(Sequence sequence, const std::string& destination = "fn:a");
  void fails(Sequence sequence, const std::string& destination = "fn:a");
  /// Everything that happens in this time, or by itself in a moment; destinations that are down answer "later".
  void run();
  void run_for(Duration time);
  std::vector<std::string> down;
  std::vector<std::string> silent;
  void pass(Duration time) { clock_.advance(time); }
  /// As an administrator would.
  void move_clock(Duration by) { clock_.shift_wall(by); }
  Numbers received(const std::string& destination = "fn:a") const;
  Numbers received_of(const std::string& key) const;
  void forget_received() { received_.clear(); }

  // What is durable.
  /// Without the clock, which is that of the test.
  Position position();
  /// Nothing when there is no such side lane.
  std::optional<SideLane> side(const Scope& scope);
  std::optional<SideLane> history(const Scope& scope);
  std::optional<Parked> parked(Sequence sequence, const std::string& destination = "fn:a");
  std::size_t parked_count();
  std::vector<LaneNews::Kind> news();

  RelayByHand& relay() { return *relay_; }
  Lane& lane() { return relay_->lane(); }
  const Turn& turn() { return relay_->turn(); }
  MonotonicTime now() const { return clock_.monotonic(); }
  TimePoint store_now() const { return clock_.now(); }
  memory::Database& database() { return *database_; }

 private:
  std::optional<Outcome> answer(const Delivery& delivery);
  RelayByHand::Answer answers() {
    return [this](const Delivery& delivery) { return answer(delivery); };
  }
  void begin(const Owner& former);

  testing_support::FakeClock clock_;
  std::shared_ptr<memory::Database> database_ = memory::new_database();
  std::unique_ptr<OutboxStore> store_ = memory::open_store(database_, clock_);
  std::unique_ptr<OutboxView> operators_ = memory::open_outbox_view(database_, clock_);
  std::optional<RelayByHand> relay_;
  std::vector<Delivery> received_;
};

}  // namespace makegood::core
