// A connection: each call is one access to the database.
#include <utility>

#include "base/new_row.hpp"
#include "base/origin.hpp"
#include "stores/memory/database.hpp"
#include "stores/memory/environment.hpp"
#include "stores/memory/log.hpp"
#include "stores/memory/look.hpp"
#include "stores/memory/memory.hpp"
#include "stores/memory/turns.hpp"

namespace makegood::memory {
namespace {

class Store final : public OutboxStore {
 public:
  Store(std::shared_ptr<Database> database, const Clock& clock, std::string environment)
      : database_(std::move(database)), clock_(clock), environment_(std::move(environment)) {}

  StoreFeatures features() const override {
    return {.name = "memory", .numbers_may_stay_open = true, .is_durable = false};
  }

  Result<> migrate() override { return {}; }

  Result<std::vector<Enqueued>> enqueue(std::span<const NewMessage> messages) override {
    auto access = database_->access();
    for (const NewMessage& message : messages) MAKEGOOD_TRY(check_producer_topic(message.topic));
    auto answers = MAKEGOOD_TRY(append_all(access.state(), messages, clock_.now()));
    access.changed();
    return answers;
  }

  Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) override {
    auto access = database_->access();
    MAKEGOOD_TRY(check_environment(access.state(), environment_));
    auto taken = memory::take(access.state(), {owner, lease, former}, clock_.now());
    if (taken && access.state().environment.empty()) access.state().environment = environment_;
    if (taken) access.changed();
    return taken;
  }

  Result<Found> look(const LookFor& wanted) override {
    auto access = database_->access();
    seen_changes_ = access.changes();
    return memory::look(access.state(), wanted, clock_.now());
  }

  Result<Committed> commit(const Turn& turn) override {
    auto access = database_->access();
    const Committed committed = MAKEGOOD_TRY(memory::commit(access.state(), turn, clock_.now()));
    const bool had_seen_all = seen_changes_ == access.changes();
    access.changed();
    if (had_seen_all) seen_changes_ = access.changes();  // Our own turn is no news to us.
    return committed;
  }

  bool has_changed() override { return database_->access().changes() != seen_changes_; }

 private:
  const std::shared_ptr<Database> database_;
  const Clock& clock_;
  const std::string environment_;
  std::uint64_t seen_changes_ = 0;
};

}  // namespace

Result<> check_environment(const State& state, const std::string& environment) {
  if (compare_environments(state.environment, environment) != NameVerdict::copy) return {};
  return copy_error(
      {.is_copy = true,
       .traits = {{.name = "environment", .recorded = state.environment, .here = environment, .differs = true}}});
}

std::unique_ptr<OutboxStore> open_store(std::shared_ptr<Database> database, const Clock& clock,
                                        std::string environment) {
  return std::make_unique<Store>(std::move(database), clock, std::move(environment));
}

}  // namespace makegood::memory
