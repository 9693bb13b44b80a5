// One process that owns the shard of a saga now and then, cut into the steps between which it can be stopped, killed or
// overtaken.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/saga/shard.hpp"
#include "sim/saga_database.hpp"

namespace makegood::sim {

class SagaNode {
 public:
  SagaNode(std::string name, SagaDatabase& database, core::ShardOptions options, std::vector<Destination> participants,
           std::uint64_t seed);

  /// The process dies and a new one starts: no memory is left, and answers to the old one find nobody.
  void crash(std::uint64_t seed);
  /// One step of the loop. The fault strikes whatever call this step makes.
  void step(MonotonicTime now, SagaCallFault fault);
  std::vector<core::SagaCallOut> release(MonotonicTime now) { return shard_->release(now); }
  void answered(Report report, MonotonicTime now) { shard_->answered({std::move(report)}, now); }
  /// Its next decision does not wait for all that it needs.
  void hurry() { is_hasty_ = true; }
  /// It gives its shard up, and starts anew.
  void give_up() { shard_->give_up(); }
  void assert_consistent() const { shard_->assert_consistent(); }

  const std::string& name() const { return name_; }
  std::uint64_t life() const { return life_; }
  bool is_owner() const { return shard_->is_owner(); }
  bool is_between_exchanges() const { return stage_ == Stage::looking; }
  bool was_fenced() { return std::exchange(was_fenced_, false); }
  /// The store's clock when it was last asked, if that was long ago when it was asked again.
  std::optional<TimePoint> take_gap() { return std::exchange(gap_from_, std::nullopt); }
  bool has_taken() { return std::exchange(has_taken_, false); }
  bool was_in_doubt() { return std::exchange(was_in_doubt_, false); }
  MonotonicTime next_exchange(MonotonicTime now) const { return shard_->next_exchange(now); }
  core::ShardFigures figures() const { return shard_->figures(); }
  std::vector<Error> take_alarms() { return shard_->take_alarms(); }

 private:
  enum class Stage : std::uint8_t { looking, supplying, committing };

  void take(MonotonicTime now);
  void look(MonotonicTime now);
  void supply(MonotonicTime now);
  Result<core::ShardSupply> fetch(const core::ShardNeeds& needs);
  void commit(MonotonicTime now);
  void lose();

  const std::string name_;
  const core::ShardOptions options_;
  const std::vector<Destination> participants_;
  ModelSagaStore store_;
  std::unique_ptr<core::Shard> shard_;
  const SagaTurn* turn_ = nullptr;
  Owner owner_;
  Stage stage_ = Stage::looking;
  SagaCallFault fault_ = SagaCallFault::none;
  std::uint64_t life_ = 0;
  std::uint64_t takings_ = 0;
  TimePoint store_now_ = {};
  std::optional<TimePoint> gap_from_ = {};
  bool has_taken_ = false;
  bool was_fenced_ = false;
  bool was_in_doubt_ = false;
  bool is_hasty_ = false;
};

}  // namespace makegood::sim
