// One process that runs a lane, cut into the steps between which it can be stopped, killed or overtaken.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/lane.hpp"
#include "makegood/store.hpp"

namespace makegood::sim {

/// What may go wrong with the commit of a turn.
enum class CommitFault { none, before, lost_reply };

class Node {
 public:
  Node(std::string name, std::unique_ptr<OutboxStore> store, DispatcherOptions options, std::uint64_t seed);

  /// The process dies and a new one starts: no memory is left, and answers to the old one find nobody.
  void crash(std::uint64_t seed);
  /// One step of the loop. `fault` strikes if this step is the commit.
  void step(MonotonicTime now, CommitFault fault);
  std::vector<Delivery> release(MonotonicTime now) { return lane_->release(now); }
  void answered(Completion completion, MonotonicTime now) { lane_->answered({std::move(completion)}, now); }

  const Owner& owner() const { return lane_->owner(); }
  bool is_owner() const { return lane_->is_owner(); }
  /// Which life of the process this is.
  std::uint64_t life() const { return life_; }
  /// When there is something to do next, as far as the lane knows.
  MonotonicTime next(MonotonicTime now) const;
  /// The turn that the last step committed, if it did.
  std::optional<Turn> take_committed() { return std::exchange(committed_, std::nullopt); }
  std::uint64_t fenced_count() const { return fenced_count_; }

 private:
  void take(MonotonicTime now);
  void commit(MonotonicTime now, CommitFault fault);
  void lose();

  const std::string name_;
  const std::unique_ptr<OutboxStore> store_;
  const DispatcherOptions options_;
  std::unique_ptr<core::Lane> lane_;
  std::uint64_t life_ = 0;
  std::uint64_t taking_ = 0;
  Owner former_;
  std::optional<Found> found_;
  const Turn* turn_ = nullptr;
  std::optional<Turn> committed_;
  std::uint64_t fenced_count_ = 0;
};

}  // namespace makegood::sim
