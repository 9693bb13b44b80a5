#include "transports/local/slot.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "makegood/result.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::local {

void Slot::load(Chunk& chunk) {
  const std::lock_guard lock(mutex_);
  MAKEGOOD_ASSERT(next_ == chunk_.deliveries.size() && finished_.empty());
  std::swap(chunk_, chunk);
  next_ = 0;
}

bool Slot::start(Delivery& delivery, MonotonicTime now, MonotonicTime& look_at) {
  const std::lock_guard lock(mutex_);
  if (is_closed_ || is_abandoned_ || next_ == chunk_.deliveries.size()) return false;
  delivery = std::move(chunk_.deliveries[next_++]);
  is_running_ = true;
  ticket_ = delivery.ticket;
  started_at_ = now;
  timeout_ = delivery.timeout();
  stop_ = delivery.call != nullptr ? std::stop_source() : std::stop_source(std::nostopstate);
  look_at = next_look();
  return true;
}

bool Slot::finish(Reply reply) {
  const std::lock_guard lock(mutex_);
  if (is_abandoned_) return false;
  is_running_ = false;
  if (finished_.capacity() == 0) finished_.reserve(chunk_.deliveries.size());
  finished_.push_back({.ticket = ticket_, .reply = std::move(reply)});
  return true;
}

void Slot::refuse(const Reply& reply) {
  const std::lock_guard lock(mutex_);
  for (; next_ < chunk_.deliveries.size(); ++next_) {
    finished_.push_back({.ticket = chunk_.deliveries[next_].ticket, .reply = reply});
  }
}

std::vector<Report> Slot::take_finished() {
  const std::lock_guard lock(mutex_);
  return std::exchange(finished_, {});
}

std::stop_source Slot::stop_source() {
  const std::lock_guard lock(mutex_);
  return is_running_ ? stop_ : std::stop_source(std::nostopstate);
}

Relief Slot::relieve(MonotonicTime now) {
  const std::lock_guard lock(mutex_);
  if (!is_running_ || is_abandoned_ || now < next_look()) return {};
  Relief relief{.finished = answers(), .not_started = rest()};
  if (now - started_at_ < timeout_) return relief;
  is_abandoned_ = relief.is_abandoned = true;
  relief.finished.reports.push_back(
      {.ticket = ticket_,
       .reply = Reply::silent(std::string(to_string(Errc::timeout)), "The handler did not return in time.")});
  return relief;
}

MonotonicTime Slot::look_at(MonotonicTime later) {
  const std::lock_guard lock(mutex_);
  if (!is_running_ || is_abandoned_) return later;
  return std::min(later, next_look());
}

Chunk Slot::forget(const Completions& done) {
  const std::lock_guard lock(mutex_);
  return chunk_.done == &done ? rest() : Chunk{};
}

bool Slot::has_any(const Completions& done) {
  const std::lock_guard lock(mutex_);
  const bool is_empty = !is_running_ && finished_.empty() && next_ == chunk_.deliveries.size();
  return chunk_.done == &done && !is_empty;
}

std::optional<Answers> Slot::abandon_running(const Completions& done) {
  const std::lock_guard lock(mutex_);
  if (chunk_.done != &done || !is_running_) return std::nullopt;
  is_abandoned_ = true;
  return answers();
}

Chunk Slot::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  return rest();
}

Answers Slot::abandon() {
  const std::lock_guard lock(mutex_);
  is_abandoned_ = true;
  return answers();
}

Answers Slot::answers() { return {.reports = std::exchange(finished_, {}), .done = chunk_.done}; }

Chunk Slot::rest() {
  auto& deliveries = chunk_.deliveries;
  const auto begin = deliveries.begin() + static_cast<std::ptrdiff_t>(next_);
  Chunk rest{.deliveries = {std::move_iterator(begin), std::move_iterator(deliveries.end())}, .done = chunk_.done};
  deliveries.erase(begin, deliveries.end());
  return rest;
}

MonotonicTime Slot::next_look() const {
  const bool holds_others_up = !finished_.empty() || next_ < chunk_.deliveries.size();
  return started_at_ + (holds_others_up ? std::min(patience, timeout_) : timeout_);
}

}  // namespace makegood::local
