// A shard of sagas, as its owner's loop drives it: `core::Shard` decides, this asks the store and the transports.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/saga/shard.hpp"
#include "engine/completion_queue.hpp"
#include "engine/owned.hpp"
#include "engine/shared_endpoints.hpp"
#include "engine/transport_router.hpp"
#include "makegood/saga.hpp"

namespace makegood::engine {

class OrchestratedShard final : public Owned {
 public:
  /// `observer` and `endpoints` may be null; what else is referred to must outlive the shard.
  OrchestratedShard(std::unique_ptr<SagaStore> store, std::vector<Transport*> transports, SagaOptions options,
                    SagaOrchestrator::ParticipantSource participants, Observer* observer, const Clock& clock,
                    WakeUp& wake_up, Endpoints* endpoints);

  Pace pace() const override { return {options_.poll_interval, options_.safety_interval}; }

  Result<bool> take(const Owner& owner, const Owner& former, MonotonicTime asked_at) override;
  bool is_owner() const override { return shard_.is_owner(); }
  MonotonicTime send_until() const override { return shard_.send_until(); }
  void forget() override;

  Result<bool> look(MonotonicTime asked_at) override;
  bool has_turn() const override { return turn_ != nullptr; }
  Result<> commit() override;
  MonotonicTime next_exchange(MonotonicTime now) const override { return shard_.next_exchange(now); }

  bool has_changed() override { return store_->has_changed(); }
  int change_descriptor() const override { return store_->change_descriptor(); }

  void absorb() override;
  bool release(MonotonicTime now, const std::shared_ptr<const Lease>& lease) override;
  MonotonicTime next_release(MonotonicTime /*now*/) override { return MonotonicTime::max(); }

  void stop() override { shard_.stop(); }
  void drain(Duration grace) override { transports_.drain(completions_, grace, clock_); }
  void give_up() override { shard_.give_up(); }

  void ownership_changed(std::string_view what, const Owner& owner) override;
  void alarm(const Error& error) override { observer_.alarm(options_.log, error); }
  void report() override;

 private:
  void ask_for_participants(MonotonicTime now);
  Result<> supply();
  Result<core::ShardSupply> fetch(const core::ShardNeeds& needs);
  Result<SagaDefinitionPtr> fetch_definition(const core::DefinitionName& name);

  // Constant after construction.
  const std::unique_ptr<SagaStore> store_;
  const TransportRouter transports_;
  const SagaOptions options_;
  const SagaOrchestrator::ParticipantSource participants_;
  Observer& observer_;
  const Clock& clock_;

  // Used by the thread of the loop only.
  core::Shard shard_;
  const SagaTurn* turn_ = nullptr;      ///< Decided, and certainly not written yet.
  MonotonicTime participants_at_ = {};  ///< When they are asked for again.

  CompletionQueue<Report> completions_;  ///< Shared with other threads.
};

}  // namespace makegood::engine
