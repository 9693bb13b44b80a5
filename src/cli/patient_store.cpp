#include "cli/patient_store.hpp"

namespace makegood::cli {
namespace {

/// Ten times as long as those wait who come first, and short enough for a take-over when there is nobody else.
constexpr Duration patience_time = std::chrono::milliseconds(500);

}  // namespace

Result<std::optional<Taken>> PatientStore::take(const Owner& owner, Duration lease, const Owner& former) {
  const MonotonicTime now = clock_.monotonic();
  if (lets_others_first_.load(std::memory_order_relaxed) && now < patient_until_) return std::optional<Taken>();
  patient_until_ = now + patience_time;
  return store_->take(owner, lease, former);
}

}  // namespace makegood::cli
