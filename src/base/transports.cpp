#include "base/transports.hpp"

#include <algorithm>

namespace makegood {

std::string_view carrier_of(std::string_view destination) {
  const std::string_view scheme = destination.substr(0, destination.find(':'));
  return scheme == "custom" ? "fn" : scheme;
}

const TransportKind* Transports::kind_of(std::string_view destination) const {
  const std::size_t colon = destination.find(':');
  if (colon == std::string_view::npos) return nullptr;
  const auto found = std::ranges::find(kinds_, destination.substr(0, colon), &TransportKind::scheme);
  return found != kinds_.end() ? found->get() : nullptr;
}

Result<Transport*> Transports::shared(const TransportKind& kind) {
  const std::scoped_lock lock(mutex_);
  auto& open = shared_[&kind];
  if (open == nullptr) open = MAKEGOOD_TRY(kind.open());
  return open.get();
}

Result<Transports::OfLane> Transports::for_lane() {
  OfLane lane;
  for (const auto& kind : kinds_) {
    if (kind->instances() == TransportKind::Instances::one_for_all) {
      lane.all.push_back(MAKEGOOD_TRY(shared(*kind)));
    } else {
      lane.own.push_back(MAKEGOOD_TRY(kind->open()));
      lane.all.push_back(lane.own.back().get());
    }
  }
  return lane;
}

}  // namespace makegood
