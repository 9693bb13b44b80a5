// One process that runs a lane, cut into the steps between which it can be stopped, killed or overtaken.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/lane.hpp"
#include "makegood/spi/store.hpp"

namespace makegood::sim {

/// What may go wrong with a call to the store: nothing happens, or it happens and the answer is lost.
enum class CallFault : std::uint8_t { none, before, after };

class Node {
 public:
  Node(std::string name, std::unique_ptr<OutboxStore> store, DispatcherOptions options, std::uint64_t seed,
       core::Sharing sharing = {});

  /// The process dies and a new one starts: no memory is left, and answers to the old one find nobody.
  void crash(std::uint64_t seed);
  /// Its connection breaks: whatever exchange is under way is void.
  void disconnect();
  /// It gives its lane up as soon as nothing is in flight, and starts anew.
  void stop() { lane_->stop(), is_stopping_ = true; }
  /// Another has taken its lane, or it does not know what the store knows: it forgets all, and takes it anew.
  void lose();
  void configure(const DispatcherOptions& options);
  /// One step of the loop. `fault` strikes whatever call this step makes.
  void step(MonotonicTime now, CallFault fault, std::uint64_t seed);
  void assert_consistent() const { lane_->assert_consistent(); }
  std::vector<Delivery> release(MonotonicTime now) { return lane_->release(now); }
  void hear(MonotonicTime now) { lane_->hear(now); }
  /// When it has something to do, if nothing happens before.
  MonotonicTime next_wake(MonotonicTime now) { return std::min(lane_->next_exchange(now), lane_->next_release(now)); }
  void answered(Completion completion, MonotonicTime now) { lane_->answered({std::move(completion)}, now); }

  const std::string& name() const { return name_; }
  const Owner& owner() const { return lane_->owner(); }
  /// Which life of the process this is.
  std::uint64_t life() const { return life_; }
  bool is_broken(std::string_view destination) const { return lane_->is_broken(destination); }
  MonotonicTime send_until() const { return lane_->send_until(); }
  TimePoint store_time(MonotonicTime now) const { return lane_->store_time(now); }
  bool is_between_exchanges() const { return turn_ == nullptr && !found_; }
  /// The last turn that it knows of; the database may have forgotten it.
  TurnNumber last_turn() const { return last_turn_; }
  LaneFigures figures() const { return lane_->figures(); }
  Sequence reached() const { return lane_->reached(); }
  std::vector<LaneNews> take_news() { return lane_->take_news(); }
  std::vector<Error> take_alarms() { return lane_->take_alarms(); }
  void drop_reports();
  /// The turn that the last step committed, if it did; known or unknown to the node itself.
  std::optional<Turn> take_committed() { return std::exchange(committed_, std::nullopt); }
  /// The turn that the last step decided and nobody has committed yet, if it did; null otherwise.
  const Turn* take_decided() { return std::exchange(has_decided_, false) ? turn_ : nullptr; }
  bool take_fenced() { return std::exchange(was_fenced_, false); }
  bool take_taken_over() { return std::exchange(has_taken_over_, false); }

 private:
  void take(MonotonicTime now, CallFault fault);
  void look(MonotonicTime now, CallFault fault);
  void commit(MonotonicTime now, CallFault fault);

  const std::string name_;
  const std::unique_ptr<OutboxStore> store_;
  DispatcherOptions options_;
  const core::Sharing sharing_;
  std::optional<DispatcherOptions> new_options_;
  std::unique_ptr<core::Lane> lane_;
  std::uint64_t life_ = 0;
  std::uint64_t taking_ = 0;
  Owner former_;
  std::optional<Found> found_;
  const Turn* turn_ = nullptr;
  std::optional<Turn> committed_;
  TurnNumber last_turn_ = 0;
  bool has_decided_ = false;
  bool is_stopping_ = false;
  bool was_fenced_ = false;
  bool has_taken_over_ = false;
};

}  // namespace makegood::sim
