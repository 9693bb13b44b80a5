#include "stores/memory/database.hpp"

#include <utility>

#include "stores/memory/memory.hpp"
#include "stores/memory/saga_log.hpp"

namespace makegood::memory {

State::State() = default;
State::State(const State& other) = default;
State::State(State&& other) noexcept = default;
State& State::operator=(const State& other) = default;
State& State::operator=(State&& other) noexcept = default;
State::~State() = default;

namespace {

void forget_open(State& log) {
  std::erase_if(log.events, [&](const auto& event) { return log.open.contains(event.second); });
  log.open.clear();
}

}  // namespace

State Database::snapshot() const {
  const std::scoped_lock lock(mutex_);
  State copy = state_;
  forget_open(copy);
  for (SagaLog& log : copy.sagas) forget_open(log.requests);
  return copy;
}

void Database::restore(State state) {
  const std::scoped_lock lock(mutex_);
  state_ = std::move(state);
  ++changes_;
}

std::shared_ptr<Database> new_database(Ids& ids) { return std::make_shared<Database>(ids); }

}  // namespace makegood::memory
