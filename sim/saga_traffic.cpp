// Requests to participants and their answers, on ways that lose, delay and repeat them.
#include <algorithm>
#include <chrono>

#include "sim/saga_world.hpp"

namespace makegood::sim {

SagaWorld::Place& SagaWorld::place_of(const std::string& uri) {
  return places_.find(uri.substr(0, uri.find('/')))->second;
}

void SagaWorld::let_one_arrive(Chance& chance) {
  relay(chance);
  if (flights_.empty()) return;
  const bool is_any_order = faults_.has(SagaFault::delays) || faults_.has(SagaFault::stragglers);
  const std::size_t index = is_any_order ? chance.below(flights_.size()) : 0;
  if (is_luck(SagaFault::delays, 3, chance) || now_ < flights_[index].not_before) return;
  const bool is_slow = flights_[index].promise == SagaPromise::late || flights_[index].promise == SagaPromise::barrier;
  const bool is_early = participants_now_ < flights_[index].call.deadline + std::chrono::seconds(1);
  if (is_slow && is_early && is_luck(SagaFault::delays, 2, chance)) return;
  SagaFlight flight = std::move(flights_[index]);
  flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(index));
  if (!flight.is_by_bus && nodes_[flight.node]->life() != flight.life) summary_.sites.hit(SagaSite::zombie_request);
  const std::string silent = "SIM.SILENT";
  const bool is_lost = is_luck(SagaFault::lost_answers, 10, chance);
  const bool is_down = place_of(flight.call.uri).is_down;
  if (flight.is_by_bus && (is_lost || is_down)) return hand_over_again(std::move(flight), chance);
  if (is_lost) return answer(flight, Reply::silent(silent, {}));
  if (is_down) return answer(flight, Reply::unreachable("SIM.DOWN", {}));
  const bool may_come_twice =
      flight.is_by_bus || flight.promise == SagaPromise::barrier || flight.promise == SagaPromise::late;
  if (may_come_twice && !flight.is_copy && is_luck(SagaFault::copies, 6, chance)) {
    flights_.push_back(flight);
    flights_.back().is_copy = true;
  }
  serve(flight, chance);
}

/// It works on it; the report may come after the answer.
NewMessage SagaWorld::report_of(const SagaFlight& flight) {
  return core::answer_row(flight.call.start->event_id, {.step = flight.call.step,
                                                        .direction = flight.call.direction,
                                                        .round = flight.call.round,
                                                        .attempt = flight.call.attempt,
                                                        .is_progress = true,
                                                        .output = R"({"percent":50})"});
}

void SagaWorld::serve(const SagaFlight& flight, Chance& chance) {
  const Habits& habits = place_of(flight.call.uri).habits;
  Served served = participants_.serve(flight, habits, participants_now_, chance);
  tell(flight.call.start->event_id,
       "served " + flight.call.key + " attempt " + std::to_string(flight.call.attempt) + ": " + served.reply.code);
  if (participants_.has_shut_out()) summary_.sites.hit(SagaSite::shut_out);
  if (participants_.has_run_late()) summary_.sites.hit(SagaSite::ran_late);
  if (participants_.has_undone_nothing()) summary_.sites.hit(SagaSite::empty_compensation);
  if (flight.is_by_bus) return answer_message(flight, served, chance);
  if (served.is_later) {
    NewMessage row = core::answer_row(flight.call.start->event_id, {.step = flight.call.step,
                                                                    .direction = flight.call.direction,
                                                                    .round = flight.call.round,
                                                                    .attempt = flight.call.attempt,
                                                                    .outcome = served.outcome,
                                                                    .code = served.code,
                                                                    .output = served.output});
    if (chance.one_in(3)) callbacks_.push_back(report_of(flight));
    // Nobody waits any more for the callback of what ran after its deadline, so nothing else shows what it did.
    const std::size_t lost_in = participants_now_ >= flight.call.deadline ? 2 : 6;
    if (!is_luck(SagaFault::lost_answers, lost_in, chance)) callbacks_.push_back(row);
    if (is_luck(SagaFault::copies, 6, chance)) callbacks_.push_back(row);
  }
  const bool is_lost = is_luck(SagaFault::lost_answers, 6, chance);
  answer(flight, is_lost ? Reply::silent("SIM.SILENT", {}) : std::move(served.reply));
}

void SagaWorld::answer(const SagaFlight& flight, Reply reply) {
  if (flight.is_copy) return;
  answers_.push_back({flight.node, flight.life, {flight.call.ticket, std::move(reply)}});
}

void SagaWorld::deliver(Chance& chance) {
  if (answers_.empty()) return;
  const std::size_t index = faults_.has(SagaFault::delays) ? chance.below(answers_.size()) : 0;
  if (is_luck(SagaFault::delays, 3, chance)) return;
  Answer answer = std::move(answers_[index]);
  answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(index));
  if (nodes_[answer.node]->life() != answer.life) return;
  nodes_[answer.node]->answered(std::move(answer.report), now_);
  trace(6, answer.node);
}

void SagaWorld::call_back(Chance& chance) {
  if (callbacks_.empty()) return;
  const std::size_t index = chance.below(callbacks_.size());
  NewMessage row = std::move(callbacks_[index]);
  callbacks_.erase(callbacks_.begin() + static_cast<std::ptrdiff_t>(index));
  append(std::move(row), chance);
}

void SagaWorld::change_the_weather(Chance& chance) {
  auto place = places_.begin();
  std::advance(place, static_cast<std::ptrdiff_t>(chance.below(places_.size())));
  Habits& habits = place->second.habits;
  if (faults_.has(SagaFault::outages)) place->second.is_down = chance.one_in(3);
  habits.refuses = is_luck(SagaFault::refusals, 2, chance);
  habits.errs = is_luck(SagaFault::errors, 2, chance);
  habits.answers_later = is_luck(SagaFault::callbacks, 2, chance);
  habits.is_misrouted = is_luck(SagaFault::misroutes, 4, chance);
  habits.is_busy = is_luck(SagaFault::overloads, 3, chance);
}

}  // namespace makegood::sim
