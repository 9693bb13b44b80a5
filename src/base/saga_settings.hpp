// What the definition of a saga says, described once: for what is stored, for documents, their schema and their page.
// Beside what `base/described.hpp` has, a visitor takes
//
//   visit.call(name, call, About)            a SagaCall, or an optional one
//   visit.json(name, text, About)            a JSON text with `${…}` in it
//   visit.condition(name, text, About)       a condition over `${…}`
//   visit.rules(name, rules, About)          what failures lead to
//   visit.outcomes(name, outcomes, About)    what codes mean
//   visit.within(group, name, text, About)   a text that stands alone in an object
//   visit.maybe(name, settings, About)       an optional struct that has a description of its own
#pragma once

#include <array>

#include "base/described.hpp"
#include "base/destination_settings.hpp"
#include "makegood/saga_definition.hpp"

namespace makegood {

inline constexpr auto promise_words = std::to_array<std::string_view>({"barrier", "keyed", "late", "plain"});
inline constexpr auto outcome_words = std::to_array<std::string_view>({"ok", "fail", "retry", "unknown"});
inline constexpr auto failure_words = std::to_array<std::string_view>({"retry", "compensate", "manual", "skip"});
inline constexpr auto effect_words = std::to_array<std::string_view>({"some", "none"});
inline constexpr auto busy_words = std::to_array<std::string_view>({"queue", "reject", "return"});
inline constexpr auto undoing_words = std::to_array<std::string_view>({"in_reverse", "parallel"});

template <SettingsOf<SagaApproval> Approval>
void describe(Approval& approval, auto& visit) {
  visit("reason", approval.reason, About{"What whoever decides reads."});
  visit("timeout", approval.timeout, About{"How long it waits; 0 = for ever.", {0, year_ms}});
  visit.choice("on_timeout", approval.on_timeout, failure_words, About{"What follows when nobody has decided."});
}

inline constexpr double for_each_max = 1000;

template <SettingsOf<SagaForEach> ForEach>
void describe(ForEach& for_each, auto& visit) {
  visit.json("in", for_each.list, About{"The list: where it is (`${input.items}`), or itself."});
  visit("max", for_each.max, About{"So many elements at most; otherwise a person is asked.", {1, for_each_max}});
  visit("concurrency", for_each.concurrency, About{"So many are under way at the same time.", {1, for_each_max}});
}

template <SettingsOf<SagaStep> Step>
void describe(Step& step, auto& visit) {
  visit("name", step.name, About{"Unique; letters, digits, `_` and `-`, and not `input`."});
  visit.call("action", step.action, About{"What is done."});
  visit.call("compensation", step.compensation, About{"Makes sure that the action has no effect."});
  visit.call("check", step.check, About{"Looks up by key whether the action was done; has no effect itself."});
  visit.choice("effect", step.has_no_effect, effect_words, About{"`none`: there is nothing to undo."});
  visit("pivot", step.is_pivot, About{"Once it may be done, the execution only goes forward."});
  visit.choice("participant", step.participant, promise_words,
               About{"What the participant promises; it decides what is safe to repeat."});
  visit(
      "timeout", step.timeout,
      About{"Of one attempt, the participant's longest run included. Of an event: how long it is waited for; 0 or left "
            "out = for ever.",
            {0, year_ms}});
  visit("compensation_timeout", step.compensation_timeout, About{"Of one attempt of the compensation.", {1, year_ms}});
  visit.group("retry", step.retry);
  visit.rules("on_failure", step.on_failure,
              About{"What a failure leads to, by its code; `*` for every other one. Otherwise: compensate."});
  visit.outcomes("outcomes", step.outcomes, About{"What a code means here, before every table."});
  visit.maybe("approval", step.approval, About{"Somebody has to agree before the first attempt."});
  visit.maybe("for_each", step.for_each,
              About{"The step is carried out once for each element of a list, which its templates read as `${item}`."});
  visit.condition("when", step.condition, About{"The step is left out when this does not hold."});
}

/// Without its steps, which are a list of the above.
template <SettingsOf<SagaDefinition> Definition>
void describe(Definition& definition, auto& visit) {
  visit("name", definition.name,
        About{"Letters, digits, `_`, `.` and `-`; names that begin with `makegood.` are taken."});
  visit("deadline", definition.deadline,
        About{"From the start, without our own downtime; 0 = none. Then it is compensated.", {0, year_ms}});
  visit("timeout", definition.timeout,
        About{"Of active time: waiting does not count. 0 = none. Then it is compensated.", {0, year_ms}});
  visit("give_up_after", definition.give_up_after, About{"How long compensations are retried.", {1, year_ms}});
  visit.choice("compensate", definition.compensates_in_parallel, undoing_words,
               About{"In which order steps are undone."});
  visit.choice("on_busy", definition.on_busy, busy_words,
               About{"What becomes of a start whose key another execution holds; a start may say something else."});
  visit.json("output", definition.output, About{"What the execution returns: JSON with `${…}`."});
  visit.within("on_end", "topic", definition.on_end_topic,
               About{"The topic of the message that tells that it has ended."});
}

}  // namespace makegood
