#include "daemon/readiness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error_table.hpp"

namespace makegood::daemon {
namespace {

/// A lane in trouble tries again, and says so, at least once per second; it has overcome it when it has been heard for
/// longer than that without another word about it.
constexpr Duration overcome_after = std::chrono::milliseconds(1500);

/// Whether a lane that says this cannot work until it is over: its store refuses. What is said of messages and
/// destinations does not stop it, and fenced or in doubt it takes the lane anew, at once.
bool stops_a_lane(Errc code) { return fault_of(code) != Fault::delivery && fault_of(code) != Fault::moment; }

}  // namespace

Readiness::Readiness(const std::vector<std::string>& outboxes, const Clock& clock) : clock_(clock) {
  for (const std::string& outbox : outboxes) outboxes_.try_emplace(outbox);
}

/// The same trouble, said again, began when it was first said.
void Readiness::note(std::string_view outbox, const Error& error) {
  const std::scoped_lock lock(mutex_);
  const auto found = outboxes_.find(outbox);
  if (found == outboxes_.end()) return;
  Trouble fresh{.error = error, .since = clock_.now(), .said_at = clock_.monotonic()};
  const auto [known, is_new] = found->second.troubles.try_emplace(error.code, fresh);
  if (is_new) return;
  fresh.since = known->second.since;
  fresh.is_repeated = true;
  known->second = std::move(fresh);
}

void Readiness::away(std::string_view outbox, const Error& error) { note(outbox, error); }
void Readiness::alarm(std::string_view outbox, const Error& error) { note(outbox, error); }

void Readiness::opened(std::string_view outbox) {
  const std::scoped_lock lock(mutex_);
  const auto found = outboxes_.find(outbox);
  if (found == outboxes_.end()) return;
  found->second.is_open = true;
  found->second.troubles.clear();
}

void Readiness::awaits(std::string what) {
  const std::scoped_lock lock(mutex_);
  awaited_ = std::move(what);
}

void Readiness::rests(std::string_view outbox) {
  const std::scoped_lock lock(mutex_);
  const auto found = outboxes_.find(outbox);
  if (found == outboxes_.end()) return;
  found->second.heard_at.reset();
  found->second.troubles.clear();
}

void Readiness::figures(std::string_view outbox, const LaneFigures& /*figures*/) {
  const MonotonicTime now = clock_.monotonic();
  const std::scoped_lock lock(mutex_);
  const auto found = outboxes_.find(outbox);
  if (found == outboxes_.end()) return;
  found->second.heard_at = now;
  std::erase_if(found->second.troubles, [&](const auto& each) { return now - each.second.said_at > overcome_after; });
}

std::vector<std::string> Readiness::reasons() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> reasons;
  for (const auto& [name, outbox] : outboxes_) {
    for (const auto& [code, trouble] : outbox.troubles) {
      if (outbox.is_open && !stops_a_lane(code)) continue;
      reasons.push_back(fmt::format("{}: {} [{}]", name, trouble.error.message, makegood::to_string(code)));
    }
    if (!outbox.is_open && outbox.troubles.empty()) reasons.push_back(name + ": the store is being opened.");
  }
  if (!awaited_.empty()) reasons.push_back(awaited_);
  return reasons;
}

std::vector<api::LiveAlarm> Readiness::alarms() const {
  const std::scoped_lock lock(mutex_);
  std::vector<api::LiveAlarm> alarms;
  for (const auto& [name, outbox] : outboxes_) {
    for (const auto& [code, trouble] : outbox.troubles) {
      const bool stops_lane = !outbox.is_open || stops_a_lane(code);
      if (!stops_lane && !trouble.is_repeated) continue;  // An event, not a state.
      alarms.push_back({.outbox = name, .error = trouble.error, .since = trouble.since, .stops_lane = stops_lane});
    }
  }
  return alarms;
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

}  // namespace makegood::daemon
