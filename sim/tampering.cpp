// Somebody writes to the database by hand: the log is emptied, or its counter set back, and numbers are drawn twice.
// The lane has to notice, whenever it looks, and an operator asks for a rewind. Nothing is promised of what was there
// before; all that comes after is.
#include <algorithm>
#include <utility>

#include "sim/world.hpp"

namespace makegood::sim {
namespace {

/// So many must have been cleaned away before a counter is set back below them.
constexpr Sequence cleaned_min = 3;

bool is_about_the_log(Errc code) { return code == Errc::counter_behind || code == Errc::log_changed; }

}  // namespace

/// What operators ask for by number, and a database that forgets, have worlds of their own.
void World::leave_numbers_alone() {
  for (const Fault fault : {Fault::requests, Fault::histories, Fault::forgets, Fault::cancels, Fault::hangs,
                            Fault::registers, Fault::reroutes}) {
    faults_.set(fault, false);
  }
}

void World::tamper(Chance& chance) {
  const bool is_emptied = chance.one_in(2);
  const bool is_restarted = chance.one_in(2);
  // As its owner said it. Without an anchor (after a rewind) nobody could notice.
  const bool is_noticeable = mark_.anchor > 0 && (is_emptied || mark_.cleaned >= cleaned_min);
  if (!is_noticeable || is_rewind_asked_) return;
  while (!producers_.empty()) {  // TRUNCATE waits until nobody writes.
    Producer producer = std::move(producers_.front());
    producers_.pop_front();
    end(std::move(producer), false);
  }
  promise_nothing_of_before();
  if (is_emptied) return empty_the_log(is_restarted, chance.one_in(2));
  set_the_counter_back(chance, mark_.cleaned);
}

void World::promise_nothing_of_before() {
  for (const auto& [sequence, written] : log_) {
    tell(sequence, "may be lost: somebody writes by hand");
    lost_events_.insert(written.event_id);
    checker_.lost(written.event_id);
  }
  log_.clear();
  states_.clear();
  counted_.clear();
  counts_.clear();
  not_before_.clear();
  unrecorded_.clear();
  replay_numbers_.forget();
  was_tampered_with_ = true;
  is_unnoticed_ = true;
  has_other_deaths_ = true;
}

/// `is_passed`: the counter is past the position again before anybody looks.
void World::empty_the_log(bool restarts_counter, bool is_passed) {
  Sequence before = 0;
  {
    auto access = database_->access();
    memory::State& state = access.state();
    state.log.clear();
    state.events.clear();
    if (restarts_counter) before = std::exchange(state.counter, 0);
    access.changed();
  }
  while (is_passed && database_->snapshot().counter <= before) draw_again();
  summary_.sites.hit(Site::log_emptied);
  trace(14, restarts_counter ? 1 : 0);
}

/// Below what was cleaned; and half of the time the counter is past the position again before anybody looks.
void World::set_the_counter_back(Chance& chance, Sequence cleaned) {
  Sequence before = 0;
  {
    auto access = database_->access();
    before =
        std::exchange(access.state().counter, static_cast<Sequence>(chance.below(static_cast<std::size_t>(cleaned))));
  }
  draw_again();
  const bool is_passed = chance.one_in(2);
  while (is_passed && database_->snapshot().counter <= before) draw_again();
  summary_.sites.hit(Site::counter_set_back);
  trace(15, is_passed ? 1 : 0);
}

/// A number that is still in the log is refused, and used up.
void World::draw_again() {
  Producer producer{.transaction = memory::begin(database_, clock_)};
  const std::string event_id = "e" + std::to_string(next_event_++);
  const NewMessage message{.topic = "both.x", .payload = "\"" + event_id + "\"", .event_id = event_id};
  const auto enqueued = producer.transaction->enqueue(message);
  if (enqueued) {
    producer.written.push_back(
        {event_id, message.topic, message.tenant_id, {}, 0, {enqueued->sequence, {}, message.payload, {}}});
  }
  end(std::move(producer), true);
}

/// The operator sets the counter right, so that no row lies above it, and asks for a rewind.
void World::notice_alarms(std::size_t index) {
  for (const Error& alarm : nodes_[index]->take_alarms()) {
    if (!is_about_the_log(alarm.code)) continue;
    summary_.sites.hit(Site::lane_stopped);
    is_unnoticed_ = false;
    if (!was_tampered_with_) checker_.violated("the lane stopped, and nobody had touched its log: " + alarm.message);
    if (std::exchange(is_rewind_asked_, true)) continue;
    {
      auto access = database_->access();
      memory::State& state = access.state();
      if (!state.log.empty()) state.counter = std::max(state.counter, state.log.rbegin()->first);
    }
    ask({.kind = RequestKind::rewind, .destination = {}, .operator_name = "sim"});
  }
}

}  // namespace makegood::sim
