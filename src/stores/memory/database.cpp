#include "stores/memory/database.hpp"

#include <utility>

#include "stores/memory/memory.hpp"

namespace makegood::memory {

State Database::snapshot() const {
  const std::scoped_lock lock(mutex_);
  State copy = state_;
  std::erase_if(copy.events, [&](const auto& event) { return copy.open.contains(event.second); });
  copy.open.clear();
  return copy;
}

void Database::restore(State state) {
  const std::scoped_lock lock(mutex_);
  state_ = std::move(state);
  ++changes_;
}

std::shared_ptr<Database> new_database(Ids& ids) { return std::make_shared<Database>(ids); }

}  // namespace makegood::memory
