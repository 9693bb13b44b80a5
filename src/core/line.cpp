#include "core/line.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/mutant.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

/// What a transport may have in hand beyond a destination's limit.
constexpr std::size_t ahead_max = 512;
/// Who was told of a place has so long to take it.
constexpr Duration wish_lapses_after = 100ms;

/// What runs in this process has the same name in another part of it, and is something else.
bool runs_in_process(std::string_view name) { return name.starts_with("fn:"); }

bool comes_before(const Caller& one, const Caller& other) {
  return std::tie(one.in_flight, one.served) < std::tie(other.in_flight, other.served);
}

}  // namespace

/// Whatever changes an endpoint: under its lock, and the others hear of it.
class Line::Change {
 public:
  explicit Change(Line& line)
      : line_(line),
        shared_(line.shared_),
        locked_(shared_->lock.get()),
        was_broken_(shared_->endpoint.is_broken()),
        was_probing_(shared_->endpoint.is_probing()) {}
  ~Change() {
    const Endpoint& endpoint = shared_->endpoint;
    if (line_.shared_ == shared_) line_.is_broken_ = endpoint.is_broken();
    if (!endpoint.is_probing()) shared_->prober = nullptr;
    if (was_broken_ == endpoint.is_broken() && (!was_probing_ || endpoint.is_probing())) return;
    if (is_mutant("circuit_wakes_nobody")) return;
    for (const Caller* other : shared_->callers) {
      if (other != line_.caller_.get() && other->waker != nullptr) other->waker->circuit_changed();
    }
  }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

 private:
  Line& line_;
  const std::shared_ptr<SharedEndpoint> shared_;  // Before the lock, which it owns.
  const Locked locked_;
  const bool was_broken_;
  const bool was_probing_;
};

Line::Line(DestinationPtr settings, bool runs_ahead, Sharing sharing)
    : settings_(std::move(settings)),
      runs_ahead_(runs_ahead),
      sharing_(runs_in_process(settings_->name) ? Sharing{} : sharing),
      shared_(std::make_shared<SharedEndpoint>(Endpoint(settings_), settings_, nullptr)),
      caller_(std::make_unique<Caller>(Caller{.waker = sharing.waker})) {
  shared_->callers.push_back(caller_.get());
}

Line::~Line() {
  if (caller_) leave();
}

void Line::configure(DestinationPtr settings) {
  const bool is_known = *settings == *settings_ && is_shared_ == (sharing_.endpoints != nullptr);
  settings_ = std::move(settings);
  if (is_known) return;
  if (sharing_.endpoints != nullptr) {
    move_to(sharing_.endpoints->at(settings_, known()));
    is_shared_ = true;
  } else {
    shared_->settings = settings_;
    shared_->endpoint.configure(settings_);
  }
}

bool Line::has_place(MonotonicTime now) const {
  const Locked locked(shared_->lock.get());
  return shared_->endpoint.has_place(now, ahead_) && next_turn(now) <= now;
}

/// When nobody comes before this caller any more.
MonotonicTime Line::next_turn(MonotonicTime now) const {
  MonotonicTime next = now;
  if (shared_->endpoint.is_broken() || is_mutant("places_go_to_the_fastest")) return next;
  for (const Caller* other : shared_->callers) {
    const bool is_first = other != caller_.get() && other->wishes_until > now && comes_before(*other, *caller_);
    if (is_first) next = std::max(next, other->wishes_until);
  }
  return next;
}

MonotonicTime Line::next_place(MonotonicTime now) const {
  const Locked locked(shared_->lock.get());
  Endpoint& endpoint = shared_->endpoint;
  if (!endpoint.is_broken() && !endpoint.has_place(now, ahead_)) return MonotonicTime::max();
  return std::max(endpoint.next_send(now), next_turn(now));
}

MonotonicTime Line::next_send(MonotonicTime now) const {
  const Locked locked(shared_->lock.get());
  return shared_->endpoint.next_send(now);
}

MonotonicTime Line::probe_at() const {
  const Locked locked(shared_->lock.get());
  return shared_->endpoint.probe_at();
}

bool Line::prefers_retry() const {
  const Locked locked(shared_->lock.get());
  return shared_->endpoint.prefers_retry();
}

void Line::postpone_probe(MonotonicTime now) {
  const Change change(*this);
  shared_->endpoint.postpone_probe(now);
}

std::optional<Line::Place> Line::take_place(MonotonicTime now) {
  const Locked locked(shared_->lock.get());
  Endpoint& endpoint = shared_->endpoint;
  shared_->seen_at = std::max(shared_->seen_at, now);
  const bool is_refused = !endpoint.has_place(now, ahead_) || next_turn(now) > now || !endpoint.take_send(now);
  if (is_refused) return std::nullopt;
  *caller_ = {
      .waker = caller_->waker, .in_flight = caller_->in_flight + 1, .has_called = true, .served = ++shared_->served};
  const bool is_probe = endpoint.sent();
  if (is_probe) shared_->prober = caller_.get();
  return Place{is_probe};
}

void Line::wait_for_place(MonotonicTime now) {
  if (!is_shared_) return;
  const Locked locked(shared_->lock.get());
  Endpoint& endpoint = shared_->endpoint;
  shared_->seen_at = std::max(shared_->seen_at, now);
  if (endpoint.is_broken()) return;  // All are told when it is not.
  caller_->waits = true;
  const bool is_full = !endpoint.has_place(now, ahead_);
  const MonotonicTime next = is_full ? MonotonicTime::max() : std::max(endpoint.next_send(now), next_turn(now));
  caller_->wishes_until = next == MonotonicTime::max() ? next : next + wish_lapses_after;
}

void Line::end_one() {
  MAKEGOOD_ASSERT(caller_->in_flight > 0);
  --caller_->in_flight;
  ++ended_meanwhile_;
  shared_->endpoint.ended();
  wake_waiting();
}

void Line::wake_waiting() {
  if (is_mutant("places_wake_nobody")) return;
  for (Caller* caller : shared_->callers) {
    if (!std::exchange(caller->waits, false)) continue;
    caller->wishes_until = std::min(caller->wishes_until, shared_->seen_at + wish_lapses_after);
    if (caller != caller_.get() && caller->waker != nullptr) caller->waker->place_freed();
  }
}

void Line::ended() {
  const Change change(*this);
  end_one();
}

void Line::returned(bool was_probe) {
  const Change change(*this);
  end_one();
  if (was_probe) shared_->endpoint.probe_unsent();
}

void Line::answered(const Outcome& outcome, bool was_probe, MonotonicTime now, TimePoint store_now) {
  const Change change(*this);
  shared_->seen_at = std::max(shared_->seen_at, now);
  hear_of_others(store_now);
  shared_->endpoint.answered(outcome, was_probe, now);
  heard_ = shared_->endpoint.heard();
  if (outcome.kind == Outcome::Kind::ok) {
    health_.succeeded();
  } else {
    health_.failed(outcome.is_answer(), settings_->retry, store_now);
  }
  end_one();
}

/// One that hangs while its neighbours are answered is slow by its own fault; if nobody is, the destination is.
bool Line::spends(const Outcome& outcome, MonotonicTime since) const {
  if (settings_->retry.unreachable_for == Duration::zero()) return true;
  switch (outcome.reach) {
    case Outcome::Reach::answered:
      return true;
    case Outcome::Reach::unreachable:
      return is_mutant("unreachable_spends_attempts");
    case Outcome::Reach::silent: {
      const Locked locked(shared_->lock.get());
      const auto& answered_at = shared_->endpoint.answered_at();
      return answered_at && *answered_at > since && !is_mutant("timeout_always_spares");
    }
  }
  std::unreachable();
}

bool Line::hear(TimePoint store_now) {
  const Locked locked(shared_->lock.get());
  hear_of_others(store_now);
  return std::exchange(is_broken_, shared_->endpoint.is_broken()) != is_broken_;
}

/// As if this caller had heard it, in the time of its own store.
void Line::hear_of_others(TimePoint store_now) {
  const Endpoint::Heard& heard = shared_->endpoint.heard();
  const Endpoint::Heard before = std::exchange(heard_, heard);
  if (is_mutant("others_are_not_heard")) return;
  if (heard.successes != before.successes) health_.succeeded();
  if (heard.answers != before.answers) health_.was_answered();
  if (heard.failures != before.failures && heard.is_failing)
    health_.failed(!heard.is_silent, settings_->retry, store_now);
}

const std::optional<Failing>& Line::failing(TimePoint store_now) {
  if (is_shared_ && health_.failing()) {
    const Locked locked(shared_->lock.get());
    hear_of_others(store_now);
  }
  return health_.failing();
}

void Line::break_at_once(MonotonicTime now) {
  const Change change(*this);
  const bool is_known = std::ranges::any_of(shared_->callers, &Caller::has_called);
  if (!is_known) shared_->endpoint.break_at_once(now);
}

void Line::remove() {
  if (is_shared_) move_to(std::make_shared<SharedEndpoint>(known(), settings_, nullptr));
  is_shared_ = false;
  shared_->endpoint.remove();
  is_broken_ = false;
  health_.forgive();
}

void Line::clear() {
  const Change change(*this);
  give_back();
  *caller_ = {.waker = caller_->waker};
  if (std::ranges::none_of(shared_->callers, &Caller::has_called)) shared_->endpoint.clear();
  health_.forgive();
  heard_ = shared_->endpoint.heard();
  ahead_ = 0;
}

void Line::give_back() {
  if (is_mutant("places_stay_with_the_fenced")) return;
  Endpoint& endpoint = shared_->endpoint;
  const std::size_t mine = is_mutant("all_places_are_given_back") ? endpoint.in_flight() : caller_->in_flight;
  endpoint.hold_in_flight(endpoint.in_flight() - mine);
  const bool is_mine = shared_->prober == caller_.get() && !is_mutant("probe_stays_with_the_fenced");
  if (is_mine && endpoint.is_probing()) endpoint.probe_unsent();
  wake_waiting();
}

void Line::leave() {
  const Change change(*this);
  give_back();
  std::erase(shared_->callers, caller_.get());
}

/// What is known of the endpoint, without what others have under way.
Endpoint Line::known() const {
  const Locked locked(shared_->lock.get());
  Endpoint known = shared_->endpoint;
  known.hold_in_flight(0);
  if (shared_->prober != caller_.get()) known.probe_unsent();
  return known;
}

/// What this caller has under way moves along.
void Line::move_to(std::shared_ptr<SharedEndpoint> other) {
  const bool was_prober = shared_->prober == caller_.get();
  leave();
  shared_ = std::move(other);
  const Locked locked(shared_->lock.get());
  Endpoint& endpoint = shared_->endpoint;
  if (was_prober && shared_->callers.empty() && endpoint.is_probing()) shared_->prober = caller_.get();
  endpoint.hold_in_flight(endpoint.in_flight() + caller_->in_flight);
  shared_->callers.push_back(caller_.get());
  heard_ = endpoint.heard();
  is_broken_ = endpoint.is_broken();
}

void Line::exchange_ended() {
  if (runs_ahead_) ahead_ = std::min(std::max(ended_meanwhile_, ahead_ * 7 / 8), ahead_max);
}

}  // namespace makegood::core
