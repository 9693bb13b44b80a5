#include "daemon/patient_store.hpp"

namespace makegood::daemon {

Result<std::optional<Taken>> PatientStore::take(const Owner& owner, Duration lease, const Owner& former) {
  const MonotonicTime now = clock_.monotonic();
  if (refused_at_ && now < *refused_at_ + patience_.load(std::memory_order_relaxed)) return std::optional<Taken>();
  auto taken = ForwardingStore::take(owner, lease, former);
  refused_at_ = taken && !*taken ? std::optional(now) : std::nullopt;
  return taken;
}

}  // namespace makegood::daemon
