#include "core/shared_endpoint.hpp"

#include <utility>

#include "core/line.hpp"
#include "core/mutant.hpp"

namespace makegood::core {

Endpoints::Endpoints(NewLock new_lock) : new_lock_(new_lock), lock_(new_lock != nullptr ? new_lock() : nullptr) {}

std::shared_ptr<SharedEndpoint> Endpoints::at(const DestinationPtr& settings, Endpoint known) {
  const Locked locked(lock_.get());
  std::erase_if(known_, [](const auto& each) { return each.second.expired(); });
  const auto [first, last] = known_.equal_range(settings->name);
  for (auto each = first; each != last; ++each) {
    auto shared = each->second.lock();
    if (shared && (*shared->settings == *settings || is_mutant("one_name_one_endpoint"))) return shared;
  }
  known.configure(settings);
  auto shared = std::make_shared<SharedEndpoint>(std::move(known), settings, new_lock_ ? new_lock_() : nullptr);
  known_.emplace(settings->name, shared);
  return shared;
}

}  // namespace makegood::core
