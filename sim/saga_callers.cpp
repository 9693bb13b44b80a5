// Whoever appends to the log: callers that start executions, operators, and people who change definitions.
#include <algorithm>
#include <array>
#include <chrono>

#include "base/saga_json.hpp"
#include "sim/saga_definitions.hpp"
#include "sim/saga_world.hpp"

namespace makegood::sim {

void SagaWorld::start(Chance& chance) {
  if (next_id_ >= 24) return;
  NewMessage message{.topic = "d" + std::to_string(chance.below(3))};
  message.event_id = "x" + std::to_string(next_id_++);
  const std::string amount = std::to_string(chance.below(100));
  message.payload = R"({"amount":)" + amount + R"(,"flag":)" + (chance.one_in(2) ? "true" : "false");
  static constexpr std::array lists = {"[]", "[1]", "[1,2]", "[1,2,3]"};
  message.payload += std::string(R"(,"list":)") + lists.at(chance.below(lists.size())) + "}";
  if (chance.one_in(6)) message.headers["saga-version"] = "1";
  if (chance.one_in(8)) message.available_at = store_now() + std::chrono::milliseconds(100 * (1 + chance.below(100)));
  if (is_luck(SagaFault::keys, 2, chance)) draw_key(message, chance);
  append(std::move(message), chance);
}

void SagaWorld::draw_key(NewMessage& message, Chance& chance) {
  static constexpr std::array policies = {"queue", "reject", "return"};
  message.dispatch_key = "k" + std::to_string(chance.below(2));
  if (chance.one_in(3)) message.headers["saga-on-busy"] = policies.at(chance.below(policies.size()));
}

std::optional<Sequence> SagaWorld::append(NewMessage message, Chance& chance) {
  if (message.event_id.empty())
    message.event_id = "r" + std::to_string(database_.tables().counter) + "-" + std::to_string(next_id_) + "-" +
                       std::to_string(current_step_);
  const Sequence number = database_.draw();
  if (is_luck(SagaFault::late_commits, 3, chance)) {
    transactions_.push_back({number, std::move(message)});
    return std::nullopt;
  }
  database_.append(number, message);
  trace(7, static_cast<std::uint64_t>(number));
  return number;
}

void SagaWorld::end_a_transaction(Chance& chance) {
  if (transactions_.empty()) return;
  const std::size_t index = chance.below(transactions_.size());
  const Transaction ended = std::move(transactions_[index]);
  transactions_.erase(transactions_.begin() + static_cast<std::ptrdiff_t>(index));
  const bool is_start = is_saga_start(ended.message.topic);
  if (is_start && chance.one_in(4)) return database_.roll_back(ended.number);
  database_.append(ended.number, ended.message);
}

void SagaWorld::define(Chance& chance) {
  if (!is_luck(SagaFault::versions, 3, chance)) return;
  const std::string name = "d" + std::to_string(chance.below(3));
  const auto versions = database_.tables().definitions.find(name);
  const bool is_like_the_last = versions != database_.tables().definitions.end() && chance.one_in(2);
  if (is_like_the_last) {
    database_.define(varied(decode_saga_definition(versions->second.back().document).value(), chance));
  } else {
    database_.define(draw_definition(name, children_, chance));
  }
  const auto number =
      append({.topic = std::string(core::define_topic), .payload = R"({"name":")" + name + R"("})"}, chance);
  if (number) checker_.applied(name, *number);
}

void SagaWorld::operate(Chance& chance) {
  static constexpr std::array verbs = {"pause",   "resume",   "resume",     "cancel", "retry",  "retry",
                                       "skip",    "skip",     "compensate", "decide", "decide", "resolve",
                                       "resolve", "annotate", "repin",      "repin"};
  const auto numbers = executions();
  if (numbers.empty()) return;
  tell_event(numbers[chance.below(numbers.size())], chance);
  if (!faults_.has(SagaFault::operators)) return;
  if (!flights_.empty() && chance.one_in(3)) return judge_in_haste(chance);
  ask(numbers[chance.below(numbers.size())], verbs.at(chance.below(verbs.size())), chance);
}

/// Somebody judges a step because it hangs.
void SagaWorld::judge_in_haste(Chance& chance) {
  const core::SagaCallOut& call = flights_[chance.below(flights_.size())].call;
  const Sequence number = call.start->sequence;
  if (!database_.tables().log.contains(number)) return;
  core::SagaRequest request{.verb = "resolve", .step = call.step, .operator_name = "ann", .reason = "it hangs"};
  request.choice = truth_about(number, call.step, chance);
  append(core::request_row(call.start->event_id, request), chance);
}

std::string SagaWorld::truth_about(Sequence number, const std::string& step, Chance& chance) {
  if (checker_.effects_of(number, step) > 0) return "done";
  return checker_.story(number).is_turned_back && chance.one_in(2) ? "undone" : "not_done";
}

core::SagaRequest SagaWorld::draw_request(Sequence number, const std::string& verb, Chance& chance) {
  core::SagaRequest request{.verb = verb, .operator_name = "ann", .reason = "because"};
  const SagaStory& story = checker_.story(number);
  if (!story.definition) return request;
  const auto& steps = story.definition->steps;
  if (steps.empty()) return request;  // All that it repeats, for nothing.
  if (verb == "skip" || verb == "decide" || verb == "resolve" || chance.one_in(3)) {
    request.step = steps[chance.below(steps.size())].name;
  }
  if (verb == "decide") request.choice = chance.one_in(3) ? "reject" : "approve";
  if (verb == "resolve") request.choice = truth_about(number, request.step, chance);
  if (verb == "repin") {
    const std::size_t versions = database_.tables().definitions.at(story.definition->name).size();
    request.version = static_cast<std::int64_t>(chance.one_in(2) ? versions : 1 + chance.below(versions + 1));
  }
  if (verb == "retry" && chance.one_in(4)) request.body = R"({"amount":1})";
  const auto parked = database_.tables().parked.find(number);
  if (parked != database_.tables().parked.end() && chance.one_in(2)) {
    request.seen_state = to_string(parked->second.summary.state);
  }
  return request;
}

void SagaWorld::ask(Sequence number, const std::string& verb, Chance& chance) {
  const std::string id(database_.tables().log.at(number)->event_id);
  append(core::request_row(id, draw_request(number, verb, chance)), chance);
}

}  // namespace makegood::sim
