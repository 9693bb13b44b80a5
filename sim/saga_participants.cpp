#include "sim/saga_participants.hpp"

#include <memory>

#include "core/mutant.hpp"

namespace makegood::sim {
namespace {

using core::Direction;

std::string error_body(const std::string& code) { return R"({"code":")" + code + R"("})"; }

Served refused(const std::string& code) {
  return {.reply = replied(422, error_body(code)), .outcome = SagaOutcome::fail, .code = code};
}

Served succeeded(std::string output) {
  return {.reply = replied(200, output), .outcome = SagaOutcome::ok, .output = std::move(output)};
}

Served erred() { return {.reply = replied(500), .outcome = SagaOutcome::unknown, .code = "HTTP.500"}; }

/// It never runs a request after its deadline.
bool is_prompt(SagaPromise promise) { return promise == SagaPromise::keyed || promise == SagaPromise::plain; }

std::string output_of(const SagaFlight& flight) {
  return R"({"id":")" + flight.call.step + "-" + std::to_string(flight.call.round) + R"("})";
}

}  // namespace

Reply replied(int status, std::string body) {
  Reply reply{.what = Reply::What::answered, .code = "HTTP." + std::to_string(status), .status = status};
  reply.content = std::make_shared<const Reply::Content>(Reply::Content{.body = std::move(body)});
  return reply;
}

Ledger& SagaParticipants::ledger_of(const SagaFlight& flight) {
  return ledgers_[{std::string(flight.call.start->event_id), flight.call.step}];
}

Served SagaParticipants::serve(const SagaFlight& flight, const Habits& habits, TimePoint now, Chance& chance) {
  const auto [body, is_new] = bodies_.emplace(flight.call.key, flight.call.body);
  if (!is_new && body->second != flight.call.body) torn_keys_.insert(flight.call.key);
  const bool is_late = now >= flight.call.deadline;
  if (is_late && is_prompt(flight.promise)) return {.reply = replied(408), .outcome = SagaOutcome::unknown};
  if (habits.is_misrouted && chance.one_in(3)) return {.reply = replied(404), .outcome = SagaOutcome::unknown};
  if (habits.is_busy && chance.one_in(3)) return turn_away(flight, chance.one_in(2) ? 429 : 503);
  has_run_late_ = has_run_late_ || (is_late && flight.call.direction == Direction::action);
  if (flight.call.direction == Direction::check) return look_up(flight);
  const bool is_action = flight.call.direction == Direction::action;
  Served served = is_action ? act(flight, habits, chance) : undo(flight, habits, chance);
  const bool is_final = served.outcome == SagaOutcome::ok || (is_action && served.outcome == SagaOutcome::fail);
  // What lay in a queue for so long is rarely answered at once.
  if (habits.answers_later && !flight.is_copy && is_final && chance.one_in(is_late ? 1 : 3)) {
    served.is_later = true;
    served.reply = replied(202);
  }
  return served;
}

Served SagaParticipants::turn_away(const SagaFlight& flight, int status) {
  const bool says_no = status == 429 && flight.call.direction == Direction::action;
  if (says_no) ledger_of(flight).refused.emplace(flight.call.round, flight.call.attempt);
  return {.reply = replied(status), .outcome = SagaOutcome::unknown};
}

void SagaParticipants::do_it(const SagaFlight& flight, Ledger& ledger) {
  ledger.said[flight.call.round] = "ok";
  if (flight.has_no_effect) return;
  ++ledger.effects;
  const bool was_refused = ledger.refused.contains({flight.call.round, flight.call.attempt});
  ledger.is_twofold = ledger.is_twofold || (flight.is_copy && was_refused && !flight.is_by_bus);
  ledger.last = Ledger::Cause{flight.call.round, flight.call.attempt, flight.is_copy};
}

Served SagaParticipants::act(const SagaFlight& flight, const Habits& habits, Chance& chance) {
  Ledger& ledger = ledger_of(flight);
  const std::uint32_t round = flight.call.round;
  const bool is_barrier = flight.promise == SagaPromise::barrier;
  const auto said = ledger.said.find(round);
  const bool is_outdated = round < ledger.highest_round && said == ledger.said.end();
  if (is_barrier && (round <= ledger.shut || is_outdated)) {
    has_shut_out_ = true;
    return refused("COMPENSATED");
  }
  ledger.highest_round = std::max(ledger.highest_round, round);
  if (flight.promise != SagaPromise::plain && said != ledger.said.end()) {
    return said->second == "ok" ? succeeded(output_of(flight)) : refused(said->second);
  }
  if (habits.refuses && chance.one_in(3)) {
    const std::string code = chance.one_in(2) ? "NO_FUNDS" : "NO_STOCK";
    if (is_barrier) ledger.said[round] = code;
    if (!is_barrier) ledger.refused.emplace(round, flight.call.attempt);
    return refused(code);
  }
  if (habits.errs && chance.one_in(4)) return erred();
  do_it(flight, ledger);
  return habits.errs && chance.one_in(4) ? erred() : succeeded(output_of(flight));
}

/// Makes sure that the action has no effect.
void SagaParticipants::undo_it(const SagaFlight& flight, Ledger& ledger) {
  ++ledger.undone;
  if (flight.promise != SagaPromise::barrier) {
    ledger.effects = 0;
    return;
  }
  for (const auto& [round, said] : ledger.said) {
    const bool is_meant = round <= flight.call.action_round && round > ledger.shut && said == "ok";
    if (is_meant && !flight.has_no_effect) --ledger.effects;
  }
  ledger.shut = std::max(ledger.shut, flight.call.action_round);
}

Served SagaParticipants::undo(const SagaFlight& flight, const Habits& habits, Chance& chance) {
  Ledger& ledger = ledger_of(flight);
  if (habits.refuses && chance.one_in(8)) return refused("NOT_NOW");
  if (habits.errs && chance.one_in(4)) return erred();
  const bool had_nothing = ledger.effects == 0;
  has_undone_nothing_ = has_undone_nothing_ || had_nothing;
  undo_it(flight, ledger);
  if (habits.errs && chance.one_in(4)) return erred();
  if (had_nothing && chance.one_in(6)) return {.reply = replied(404, error_body("NOT_FOUND"))};
  return succeeded("{}");
}

Served SagaParticipants::look_up(const SagaFlight& flight) {
  const Ledger& ledger = ledger_of(flight);
  const bool is_done = ledger.effects > 0;
  return {.reply = replied(200, is_done ? R"({"status":"done","id":"looked-up"})" : R"({"status":"not_done"})")};
}

}  // namespace makegood::sim
