#include "cli/serve_readiness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace makegood::cli {
namespace {

/// A lane in trouble tries again, and says so, at least once per second; it has overcome it when it has been heard for
/// longer than that without another word about it.
constexpr Duration overcome_after = std::chrono::milliseconds(1500);

bool is_about_the_store(Errc code) {
  switch (code) {
    case Errc::store_unavailable:
    case Errc::store_full:
    case Errc::store_corrupt:
    case Errc::store_foreign:
    case Errc::counter_behind:
    case Errc::schema_mismatch:
      return true;
    case Errc::unavailable:
    case Errc::timeout:
    case Errc::rejected:
    case Errc::no_route:
    case Errc::expired:
    case Errc::dead_letter:
    case Errc::poison:
    case Errc::idempotent_hit:
    case Errc::idempotent_busy:
    case Errc::idempotent_last_failed:
    case Errc::idempotent_mismatch:
    case Errc::payload_too_large:
    case Errc::not_compensable:
    case Errc::fenced:
    case Errc::in_doubt:
    case Errc::not_in_transaction:
    case Errc::validation_failed:
    case Errc::conflict:
    case Errc::invalid:
    case Errc::not_found:
    case Errc::config_invalid:
    case Errc::internal:
      return false;
  }
  std::unreachable();
}

}  // namespace

Readiness::Readiness(const std::vector<std::string>& outboxes, const Clock& clock) : clock_(clock) {
  for (const std::string& outbox : outboxes) outboxes_.try_emplace(outbox);
}

void Readiness::away(std::string_view outbox, const Error& error) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = outboxes_.find(outbox); found != outboxes_.end()) found->second.trouble = error;
}

void Readiness::opened(std::string_view outbox) {
  const std::scoped_lock lock(mutex_);
  const auto found = outboxes_.find(outbox);
  if (found == outboxes_.end()) return;
  found->second.is_open = true;
  found->second.trouble.reset();
}

void Readiness::rests(std::string_view outbox) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = outboxes_.find(outbox); found != outboxes_.end()) found->second.heard_at.reset();
}

void Readiness::alarm(std::string_view outbox, const Error& error) {
  if (!is_about_the_store(error.code)) return;
  const std::scoped_lock lock(mutex_);
  const auto found = outboxes_.find(outbox);
  if (found == outboxes_.end()) return;
  found->second.trouble = error;
  found->second.trouble_at = clock_.monotonic();
}

void Readiness::figures(std::string_view outbox, const LaneFigures& /*figures*/) {
  const MonotonicTime now = clock_.monotonic();
  const std::scoped_lock lock(mutex_);
  const auto found = outboxes_.find(outbox);
  if (found == outboxes_.end()) return;
  found->second.heard_at = now;
  if (found->second.trouble && now - found->second.trouble_at > overcome_after) found->second.trouble.reset();
}

std::vector<std::string> Readiness::reasons() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> reasons;
  for (const auto& [name, outbox] : outboxes_) {
    if (outbox.trouble) {
      reasons.push_back(
          fmt::format("{}: {} [{}]", name, outbox.trouble->message, makegood::to_string(outbox.trouble->code)));
    } else if (!outbox.is_open) {
      reasons.push_back(fmt::format("{}: the store is being opened.", name));
    }
  }
  return reasons;
}

Duration Readiness::silence() const {
  const MonotonicTime now = clock_.monotonic();
  const std::scoped_lock lock(mutex_);
  Duration longest{};
  for (const auto& [name, outbox] : outboxes_) {
    if (outbox.heard_at) longest = std::max<Duration>(longest, now - *outbox.heard_at);
  }
  return longest;
}

}  // namespace makegood::cli
