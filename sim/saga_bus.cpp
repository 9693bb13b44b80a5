// Steps over a bus: the outbox hands its messages over at least once, in any order, until they expire; the participant
// answers by callback. And what the checker demands of the messages.
#include <array>
#include <string>

#include "base/saga_calls.hpp"
#include "core/saga/request.hpp"
#include "sim/saga_world.hpp"

namespace makegood::sim {
namespace {

using core::RecordKind;
using core::SagaRecord;

std::uint32_t number_in(const NewMessage& message, const std::string& header) {
  return static_cast<std::uint32_t>(std::stoul(message.headers.at(header)));
}

bool asks_for_step(const NewMessage& message) { return message.headers.contains("saga-step"); }

core::Direction direction_of(const NewMessage& message) {
  return core::direction_from(message.headers.at("saga-direction")).value();
}

/// `p3.s1` is a topic of the participant `http:p3`.
std::string uri_of(const std::string& topic) { return "http:" + topic.substr(0, topic.find('.')) + "/" + topic; }

bool is_message_of(const NewMessage& message, const SagaRecord& record) {
  return asks_for_step(message) && message.headers.at("saga-step") == record.step &&
         direction_of(message) == record.direction && number_in(message, "saga-round") == record.round &&
         number_in(message, "saga-attempt") == record.attempt;
}

/// A child is undone by itself.
const std::string& uri_in(const SagaStep& step, core::Direction direction) {
  const bool is_back = direction == core::Direction::compensation && step.compensation;
  return is_back ? step.compensation->uri : step.action.uri;
}

}  // namespace

// --- The world ---

bool SagaWorld::is_any_to_relay() const { return database_.tables().relayed < database_.tables().messages.size(); }

void SagaWorld::relay(Chance& chance) {
  while (is_any_to_relay()) relay(database_.tables().messages[database_.tables().relayed++], chance);
}

void SagaWorld::relay(const NewMessage& message, Chance& chance) {
  if (!asks_for_step(message)) return;
  const SagaTables& tables = database_.tables();
  const Sequence number = tables.starts.at({message.tenant_id, message.headers.at("saga-execution")});
  const SagaStep* step = checker_.story(number).find(message.headers.at("saga-step"));
  core::SagaCallOut call{
      .uri = uri_of(message.topic),
      .destination = nullptr,
      .path = {},
      .start = tables.log.at(number),
      .step = message.headers.at("saga-step"),
      .direction = direction_of(message),
      .round = number_in(message, "saga-round"),
      .attempt = number_in(message, "saga-attempt"),
      .key = message.headers.at("saga-key"),
      .body = message.payload,
      .deadline = checker_.story(number).deadline_of(*step, direction_of(message), number_in(message, "saga-round"),
                                                     number_in(message, "saga-attempt"))};
  if (message.headers.contains("saga-action-round")) call.action_round = number_in(message, "saga-action-round");
  const TimePoint expires_at = message.expires_at.value_or(TimePoint::max());
  if (store_now() >= expires_at) return summary_.sites.hit(SagaSite::bus_expired);
  checker_.sent(call, store_now());
  SagaFlight flight{.call = std::move(call),
                    .promise = step->participant,
                    .has_no_effect = step->has_no_effect,
                    .is_by_bus = true,
                    .expires_at = expires_at};
  if (is_luck(SagaFault::stragglers, 6, chance)) {
    flight.not_before = now_ + std::chrono::seconds(2 + chance.below(20));
  }
  summary_.sites.hit(SagaSite::bus_step);
  flights_.push_back(std::move(flight));
}

/// It was not taken; in the end it is a dead letter. Whoever replays that finds that it has expired.
void SagaWorld::hand_over_again(SagaFlight flight, Chance& chance) {
  if (flight.is_copy || store_now() >= flight.expires_at || chance.one_in(4)) return;
  flights_.push_back(std::move(flight));
}

void SagaWorld::answer_message(const SagaFlight& flight, const Served& served, Chance& chance) {
  const bool is_final = served.reply.status / 100 == 2 || !served.code.empty();
  if (!is_final || served.outcome == SagaOutcome::unknown) return hand_over_again(flight, chance);
  if (flight.is_copy) return;  // Its answer comes second, and the first one counts.
  if (is_luck(SagaFault::lost_answers, 6, chance)) return;
  callbacks_.push_back(core::answer_row(flight.call.start->event_id, {.step = flight.call.step,
                                                                      .direction = flight.call.direction,
                                                                      .round = flight.call.round,
                                                                      .attempt = flight.call.attempt,
                                                                      .outcome = served.outcome,
                                                                      .code = served.code,
                                                                      .output = served.output}));
}

// --- The checker ---

/// It is written in the commit that begins it, and is not handed over when it must not run any more.
void SagaChecker::check_message(Sequence number, const SagaRecord& record, const std::vector<NewMessage>& messages) {
  const SagaStep* step = stories_[number].find(record.step);
  const bool is_by_bus = step != nullptr && record.kind == RecordKind::started &&
                         record.direction != core::Direction::check &&
                         !topic_of(uri_in(*step, record.direction)).empty();
  if (!is_by_bus) return;
  const auto is_it = [&](const NewMessage& message) {
    return is_message_of(message, record) && message.headers.at("saga-execution") == id_of(number);
  };
  const auto message = std::ranges::find_if(messages, is_it);
  if (message == messages.end()) return violated("bus", number, "begins " + record.step + " without its message");
  if (message->expires_at != record.until) violated("bus", number, "asks for " + record.step + " beyond its deadline");
}

}  // namespace makegood::sim
