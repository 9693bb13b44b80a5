#include "base/saga_lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>

#include "base/conditions.hpp"
#include "base/duration_text.hpp"
#include "base/json.hpp"
#include "base/mistakes.hpp"
#include "base/saga_calls.hpp"
#include "base/saga_templates.hpp"

namespace makegood {
namespace {

std::string use_text(const TemplateUse& use) {
  return fmt::format("${{{}{}{}}}", shown(use.root), use.path.empty() ? "" : ".", shown(use.path));
}

std::optional<Condition> condition_of(const SagaStep& step) {
  if (step.condition.empty()) return std::nullopt;
  auto condition = parse_condition(step.condition);
  return condition ? std::optional(*std::move(condition)) : std::nullopt;
}

bool has_rule(const SagaStep& step, FailureAction action) {
  return std::ranges::find(step.on_failure, action, &FailureRule::action) != step.on_failure.end();
}

/// All attempts, each as long as it may be, and the waits between them.
Duration longest(const RetryPolicy& retry, Duration timeout) {
  Duration sum = timeout * attempts_max(retry);
  for (std::uint32_t made = 1; made < attempts_max(retry); ++made) sum += backoff(retry, made, 0.5);
  return sum;
}

class DefinitionLint {
 public:
  explicit DefinitionLint(const SagaDefinition& definition) : definition_(definition) {}

  std::vector<SagaFinding> run() {
    look_at_sum();
    for (step_ = 0; *step_ < definition_.steps.size(); ++*step_) look_at(definition_.steps[*step_]);
    for (const TemplateField& field : template_fields(definition_)) look_at(field);
    const auto place = [](const SagaFinding& found) { return found.where.step.value_or(0); };
    std::ranges::stable_sort(findings_, {}, place);
    return std::move(findings_);
  }

 private:
  void look_at(const SagaStep& step) {
    look_at_condition(step);
    calls_nobody(step) ? look_at_waiting(step) : look_at_times(step);
    for (const FailureRule& rule : step.on_failure) look_at_rule(step, rule);
    look_at_promise(step);
    look_at_bus(step);
    look_at_approval(step);
  }

  void look_at_condition(const SagaStep& step) {
    const auto condition = condition_of(step);
    if (!condition) return;
    if (never_holds(*condition)) warn("unreachable", "when", "never holds: the step is never carried out");
    if (always_holds(*condition)) note("unreachable", "when", "always holds; leave it out");
  }

  // --- Times ---

  static bool calls_nobody(const SagaStep& step) { return is_waiting(step.action.uri); }
  /// It has times of its own.
  static bool is_child(const SagaStep& step) { return saga_call_kind(step.action.uri) == SagaCallKind::child; }

  /// So long at most; waiting does not count against the timeout of the saga.
  static Duration waits_for(const SagaStep& step) { return wait_of(step.action.uri).value_or(step.timeout); }

  void look_at_waiting(const SagaStep& step) {
    const bool is_wait = wait_of(step.action.uri).has_value();
    if (!is_wait && step.timeout == Duration::zero() && definition_.deadline == Duration::zero()) {
      note("waits_for_ever", "action",
           "waits for ever if nobody tells of the event: it has no timeout, and the saga no deadline");
    }
    if (!exceeds(waits_for(step), definition_.deadline)) return;
    warn("timeout_fit", is_wait ? "action" : "timeout",
         fmt::format("is {}, and the deadline of the saga is {}", format_duration(waits_for(step)),
                     format_duration(definition_.deadline)));
  }

  void look_at_times(const SagaStep& step) {
    if (is_child(step)) return;
    fit("timeout", "an attempt", step.timeout);
    const Duration all = longest(step.retry, step.timeout);
    const bool fits_once = !is_over(step.timeout);
    if (fits_once && attempts_max(step.retry) > 1)
      fit("retry", fmt::format("{} attempts", attempts_max(step.retry)), all);
    if (step.compensation && step.compensation_timeout > definition_.give_up_after) {
      warn("timeout_fit", "compensation_timeout",
           fmt::format("is {}, and compensations are given up after {}", format_duration(step.compensation_timeout),
                       format_duration(definition_.give_up_after)));
    }
  }

  bool is_over(Duration span) const {
    return exceeds(span, definition_.deadline) || exceeds(span, definition_.timeout);
  }
  static bool exceeds(Duration span, Duration limit) { return limit > Duration::zero() && span > limit; }

  void fit(const std::string& field, const std::string& what, Duration span) {
    if (!is_over(span)) return;
    const bool is_deadline = exceeds(span, definition_.deadline);
    warn("timeout_fit", field,
         fmt::format("cannot fit: {} may take {}, and the {} of the saga is {}", what, format_duration(span),
                     is_deadline ? "deadline" : "timeout",
                     format_duration(is_deadline ? definition_.deadline : definition_.timeout)));
  }

  /// One attempt of each group, each as long as it may be.
  void look_at_sum() {
    const auto lasts = [](const SagaStep& step) { return is_child(step) ? Duration() : step.timeout; };
    const Duration active = sum_of([&](const SagaStep& step) { return calls_nobody(step) ? Duration() : lasts(step); });
    const Duration whole =
        sum_of([&](const SagaStep& step) { return calls_nobody(step) ? waits_for(step) : lasts(step); });
    const auto tell = [&](const char* field, Duration sum, Duration limit, LintSeverity severity) {
      if (!exceeds(sum, limit) || definition_.steps.back().group == 0) return;
      add(severity, "timeout_fit", field,
          fmt::format("is {}, and one attempt of each step may take {} together", format_duration(limit),
                      format_duration(sum)));
    };
    tell("deadline", whole, definition_.deadline, LintSeverity::warning);
    const bool is_default = definition_.timeout == SagaDefinition{}.timeout;
    tell("timeout", active, definition_.timeout, is_default ? LintSeverity::note : LintSeverity::warning);
  }

  /// Over the groups, of the longest step of each.
  template <class Span>
  Duration sum_of(Span span) const {
    std::map<std::size_t, Duration> groups;
    for (const SagaStep& step : definition_.steps) groups[step.group] = std::max(groups[step.group], span(step));
    Duration sum = {};
    for (const auto& [group, longest] : groups) sum += longest;
    return sum;
  }

  // --- Failures ---

  void look_at_rule(const SagaStep& step, const FailureRule& rule) {
    const std::string field = "on_failure." + rule.code;
    constexpr auto for_people = std::to_array<std::string_view>(
        {"TX.IDEMPOTENT_MISMATCH", "SAGA.NO_VALUE", "SAGA.OUTCOME_UNKNOWN", "SAGA.HELD"});
    const auto means = step.outcomes.find(rule.code);
    const bool has_meaning = means != step.outcomes.end();
    if (!has_meaning && std::ranges::find(for_people, rule.code) != for_people.end()) {
      return warn("rule_never", field, "never matches: a person is asked before any rule");
    }
    if (!has_meaning && rule.code == "REJECTED" && !step.approval) {
      return note("rule_never", field, "matches only if the participant answers this code: the step has no approval");
    }
    if (has_meaning && means->second == SagaOutcome::ok) {
      return warn("rule_never", field, "never matches: outcomes says that this code means ok");
    }
    const bool is_uncertain = has_meaning && means->second == SagaOutcome::unknown;
    if (is_uncertain && rule.action == FailureAction::retry) {
      warn("rule_never", field,
           "never retries under a new key: outcomes says unknown, and what may be done is never retried");
    }
  }

  void look_at_promise(const SagaStep& step) {
    if (step.participant != SagaPromise::plain || step.check || step.has_no_effect) return;
    const bool repeats = attempts_max(step.retry) > 1 && step.retry != SagaStep{}.retry;
    if (repeats || has_rule(step, FailureAction::retry)) {
      return warn(
          "plain_retries", repeats ? "retry" : "on_failure",
          "repeats a step that is not idempotent: only what certainly was not done is tried again, anything else "
          "waits for a person; give it a check, or make it keyed");
    }
    note("plain_retries", "participant",
         "is plain, without a check: whenever nobody knows whether the step was done, it waits for a person");
  }

  void look_at_bus(const SagaStep& step) {
    if (topic_of(step.action.uri).empty() || step.participant == SagaPromise::barrier || step.has_no_effect) return;
    note("bus_doubt", "participant",
         fmt::format("is {}: a failure that is told over a bus is no proof there, so the step is repeated and then "
                     "compensated; with a barrier it counts at once",
                     to_string(step.participant)));
  }

  void look_at_approval(const SagaStep& step) {
    if (!step.approval) return;
    if (step.approval->timeout == Duration::zero() && definition_.deadline == Duration::zero()) {
      return note("waits_for_ever", "approval",
                  "waits for ever if nobody decides: it has no timeout, and the saga no deadline");
    }
    if (exceeds(step.approval->timeout, definition_.deadline)) {
      warn("timeout_fit", "approval.timeout",
           fmt::format("is {}, and the deadline of the saga is {}", format_duration(step.approval->timeout),
                       format_duration(definition_.deadline)));
    }
  }

  // --- Templates ---

  void look_at(const TemplateField& field) {
    step_ = field.step;
    if (!field.uses) return;
    for (const TemplateUse& use : *field.uses) look_at_use(field.field, use);
  }

  void look_at_use(const std::string& field, const TemplateUse& use) {
    if (use.root == execution_input || use.has_default || use.path == "key") return;
    const auto& steps = definition_.steps;
    const auto read = std::ranges::find(steps, use.root, &SagaStep::name);
    if (read == steps.end() || (step_ && &steps[*step_] == &*read)) return;
    const std::string why = why_left_out(*read);
    if (why.empty()) return;
    warn("reads_skipped", field,
         fmt::format("reads {}, and {} may be left out{}; give a default: {}", use_text(use), shown(use.root), why,
                     fmt::format("${{{}{}{}|null}}", use.root, use.path.empty() ? "" : ".", use.path)));
  }

  /// Empty: it is there whenever the step that we look at is carried out.
  std::string why_left_out(const SagaStep& read) const {
    const auto condition = condition_of(read);
    const auto own = step_ ? condition_of(definition_.steps[*step_]) : std::nullopt;
    if (condition && !(own && implies(*own, *condition)) && !always_holds(*condition)) return " (when)";
    if (has_rule(read, FailureAction::skip)) return " (on_failure says skip)";
    const bool expires = read.approval && read.approval->on_timeout == FailureAction::skip;
    return expires ? " (its approval says skip)" : "";
  }

  void add(LintSeverity severity, std::string_view rule, std::string field, std::string problem) {
    findings_.push_back({severity, rule, {step_, std::move(field), std::move(problem)}});
  }
  void warn(std::string_view rule, std::string field, std::string problem) {
    add(LintSeverity::warning, rule, std::move(field), std::move(problem));
  }
  void note(std::string_view rule, std::string field, std::string problem) {
    add(LintSeverity::note, rule, std::move(field), std::move(problem));
  }

  const SagaDefinition& definition_;
  std::optional<std::size_t> step_;
  std::vector<SagaFinding> findings_;
};

/// Null: the path leads nowhere, or to null.
const json::Value* value_at(const json::Value& root, std::string_view path) {
  const json::Value* value = &root;
  while (value != nullptr && !path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    const std::string name(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    rapidjson::SizeType index = 0;
    const auto [rest, failure] = std::from_chars(name.data(), name.data() + name.size(), index);
    const bool is_index = failure == std::errc() && rest == name.data() + name.size();
    if (value->IsArray()) {
      value = is_index && index < value->Size() ? &(*value)[index] : nullptr;
    } else {
      value = value->IsObject() ? json::member(*value, name.c_str()) : nullptr;
    }
  }
  return value != nullptr && !value->IsNull() ? value : nullptr;
}

}  // namespace

std::string_view to_string(LintSeverity severity) {
  constexpr std::array<std::string_view, 3> words = {"error", "warning", "note"};
  return words[static_cast<std::size_t>(severity)];
}

std::vector<SagaFinding> lint(const SagaDefinition& definition) { return DefinitionLint(definition).run(); }

std::vector<std::string> parameters_of(const SagaDefinition& definition) {
  std::vector<std::string> paths;
  for (const TemplateField& field : template_fields(definition)) {
    if (!field.uses) continue;
    for (const TemplateUse& use : *field.uses) {
      if (use.root == execution_input && !use.has_default) paths.push_back(use.path);
    }
  }
  std::ranges::sort(paths);
  paths.erase(std::ranges::unique(paths).begin(), paths.end());
  return paths;
}

std::vector<SagaFinding> lint_input(const SagaDefinition& definition, std::string_view input) {
  std::vector<SagaFinding> findings;
  rapidjson::Document document;
  document.Parse(input.data(), input.size());
  if (document.HasParseError()) return findings;
  for (TemplateField& field : template_fields(definition)) {
    if (!field.uses) continue;
    for (const TemplateUse& use : *field.uses) {
      if (use.root != execution_input || use.has_default || value_at(document, use.path) != nullptr) continue;
      const std::string problem = fmt::format("reads {}, which the input does not have", use_text(use));
      findings.push_back({LintSeverity::warning, "missing_parameter", {field.step, field.field, problem}});
    }
  }
  return findings;
}

}  // namespace makegood
