#include "base/saga_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <set>

#include "base/json_text.hpp"
#include "base/mistakes.hpp"
#include "base/new_row.hpp"
#include "base/saga_calls.hpp"
#include "base/saga_json.hpp"
#include "base/saga_settings.hpp"
#include "base/saga_templates.hpp"
#include "base/saga_url.hpp"

namespace makegood {
namespace {

constexpr std::string_view word_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
constexpr std::size_t saga_name_max = 128;
constexpr std::size_t step_name_max = 64;
constexpr std::uint32_t rule_retries_max = 1000;
constexpr std::size_t code_max = 128;
constexpr std::size_t topic_bytes_max = 255;

bool is_made_of(std::string_view text, std::string_view letters, std::size_t bytes_max) {
  return !text.empty() && text.size() <= bytes_max && text.find_first_not_of(letters) == std::string_view::npos;
}

/// One placeholder and nothing else.
bool is_placeholder(const std::string& json) {
  const auto text = json::unquoted(json);
  const auto parts = text ? template_parts(*text) : Result<std::vector<TemplatePart>>(std::vector<TemplatePart>());
  return parts && parts->size() == 1 && std::holds_alternative<Placeholder>(parts->front());
}

/// Everything that has limits is within them.
class SagaLimits {
 public:
  using Tell = std::function<void(const std::string& field, const std::string& problem)>;
  explicit SagaLimits(const Tell& tell, std::string prefix = {}) : tell_(tell), prefix_(std::move(prefix)) {}

  template <class Number>
    requires std::same_as<Number, std::uint32_t> || std::same_as<Number, double>
  void operator()(std::string_view name, Number number, const About& about) {
    const auto value = static_cast<double>(number);
    if (value >= about.limits.min && value <= about.limits.max) return;
    tell_(prefix_ + std::string(name),
          fmt::format("is {}; allowed: {} to {}", number, about.limits.min, about.limits.max));
  }
  void operator()(std::string_view name, Duration duration, const About& about) {
    const double value = static_cast<double>(duration.count()) / 1000;
    if (value > about.limits.max) return tell_(prefix_ + std::string(name), "is longer than a year");
    if (value >= about.limits.min && value >= 0) return;
    tell_(prefix_ + std::string(name), about.limits.min > 0 ? "is not at least 1ms" : "is below 0");
  }
  void operator()(std::string_view name, const std::vector<Duration>& list, const About& about) {
    if (list.size() > about.count_max) tell_(prefix_ + std::string(name), "is too long a list");
    for (const Duration delay : list) (*this)(name, delay, about);
  }
  template <class Settings>
  void group(std::string_view name, const Settings& settings) {
    SagaLimits inner(tell_, prefix_ + std::string(name) + ".");
    describe(settings, inner);
  }
  template <class Settings>
  void maybe(std::string_view name, const std::optional<Settings>& settings, const About& /*about*/) {
    if (settings) group(name, *settings);
  }
  // These have no limits of this kind.
  void operator()(std::string_view /*name*/, bool /*flag*/, const About& /*about*/) {}
  void operator()(std::string_view /*name*/, const std::string& /*text*/, const About& /*about*/) {}
  void choice(std::string_view /*name*/, auto /*chosen*/, Words /*words*/, const About& /*about*/) {}
  void call(std::string_view /*name*/, const auto& /*call*/, const About& /*about*/) {}
  void json(std::string_view /*name*/, const std::string& /*text*/, const About& /*about*/) {}
  void condition(std::string_view /*name*/, const std::string& /*text*/, const About& /*about*/) {}
  void within(std::string_view /*group*/, std::string_view /*name*/, const std::string& /*text*/,
              const About& /*about*/) {}
  void rules(std::string_view /*name*/, const auto& /*rules*/, const About& /*about*/) {}
  void outcomes(std::string_view /*name*/, const auto& /*outcomes*/, const About& /*about*/) {}

 private:
  const Tell& tell_;
  std::string prefix_;
};

class SagaCheck {
 public:
  explicit SagaCheck(const SagaDefinition& definition) : definition_(definition) {}

  std::vector<SagaMistake> run() {
    check_whole();
    check_groups();
    check_pivots();
    for (step_ = 0; *step_ < definition_.steps.size(); ++*step_) check_step(definition_.steps[*step_]);
    step_.reset();
    tell_all(mistakes_in_templates(definition_));
    return std::move(mistakes_);
  }

 private:
  void tell(std::string field, std::string problem) {
    mistakes_.push_back({step_, std::move(field), std::move(problem)});
  }
  void tell_all(std::vector<SagaMistake> others) { std::ranges::move(others, std::back_inserter(mistakes_)); }

  void check_whole() {
    const std::string& name = definition_.name;
    if (!is_made_of(name, std::string(word_letters) + ".", saga_name_max)) {
      tell("name", name.empty() ? "is missing" : "may have letters, digits, _, . and -, and at most 128 of them");
    } else if (name.starts_with("makegood.")) {
      tell("name", "begins with makegood., which is taken; use another one");
    }
    if (definition_.version < 0) tell("version", "is below 1");
    if (definition_.steps.empty()) tell("steps", "has no step; a saga needs one at least");
    if (definition_.steps.size() > saga_steps_max) tell("steps", "has more than 100 steps");
    if (encode(definition_).size() > saga_bytes_max) tell({}, "is larger than 64 KiB");
    check_topic_of_end();
    check_limits(definition_);
  }

  void check_topic_of_end() {
    const std::string& topic = definition_.on_end_topic;
    if (topic.empty()) return;
    const bool has_controls =
        std::ranges::any_of(topic, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
    if (has_controls || topic.size() > topic_bytes_max)
      tell("on_end.topic", "has control characters or over 255 bytes");
    if (const auto fine = check_producer_topic(topic); !fine) {
      tell("on_end.topic", fmt::format("is refused: {}", without_stop(fine.error().message)));
    }
  }

  template <class Settings>
  void check_limits(const Settings& settings) {
    const SagaLimits::Tell tell_limit = [&](const std::string& field, const std::string& problem) {
      tell(field, problem);
    };
    SagaLimits limits(tell_limit);
    describe(settings, limits);
  }

  void check_groups() {
    std::size_t next = 0;
    for (step_ = 0; *step_ < definition_.steps.size(); ++*step_) {
      const std::size_t group = definition_.steps[*step_].group;
      if (group != next && (group + 1 != next || *step_ == 0)) tell({}, "is in a group that is not the next one");
      next = group + 1;
    }
    step_.reset();
  }

  void check_pivots() {
    const auto& steps = definition_.steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!steps[i].is_pivot) continue;
      step_ = i;
      const auto in_group = [&](const SagaStep& step) { return step.group == steps[i].group; };
      if (std::ranges::count_if(steps, in_group) > 1) tell("pivot", "is in a parallel group; it must stand alone");
      if (pivot_) tell("pivot", fmt::format("is a second one; {} is the pivot already", shown(steps[*pivot_].name)));
      if (!pivot_) pivot_ = i;
    }
    step_.reset();
  }

  bool is_after_pivot() const { return pivot_ && *step_ > *pivot_; }

  void check_step(const SagaStep& step) {
    check_name(step.name);
    calls_nobody(step) ? check_waiting(step) : check_calling(step);
    check_call("action", step.action);
    if (step.compensation) check_call("compensation", *step.compensation);
    if (step.check) check_call("check", *step.check);
    check_limits(step);
    if (step.retry.cap < step.retry.base) tell("retry.cap", "is below base");
    if (step.for_each) check_for_each(step);
    for (const FailureRule& rule : step.on_failure) check_rule(step, rule);
    for (const auto& [code, outcome] : step.outcomes) check_code("outcomes", code, false);
    if (step.approval) check_approval(*step.approval);
  }

  static bool calls_nobody(const SagaStep& step) { return is_waiting(step.action.uri); }

  void check_calling(const SagaStep& step) {
    check_undoing(step);
    if (step.timeout == Duration::zero()) tell("timeout", "is not at least 1ms");
    const auto check_called = [&](const std::string& field, const std::optional<SagaCall>& call) {
      if (call && is_waiting(call->uri)) tell(field, "calls nobody; an event or a wait is an action");
    };
    check_called("compensation", step.compensation);
    check_called("check", step.check);
    check_bus(step);
    check_child(step);
  }

  /// It is undone as one unit, and says itself what came of it.
  void check_child(const SagaStep& step) {
    const auto refuse = [&](const std::optional<SagaCall>& call, const char* field) {
      if (call && child_of(call->uri)) tell(field, "is a saga, which only an action can be");
    };
    refuse(step.compensation, "compensation");
    refuse(step.check, "check");
    const auto child = child_of(step.action.uri);
    if (!child) return;
    if (child->name == definition_.name) tell("action", "is this saga itself, which would never end");
    if (step.check) tell("check", "says nothing here: a saga tells what became of it; leave it out");
    if (!step.outcomes.empty()) tell("outcomes", "says nothing here: a saga tells what became of it; leave it out");
  }

  /// A message may be handed over twice, and its answer comes when it comes.
  void check_bus(const SagaStep& step) {
    const bool undoes_by_bus = step.compensation && !topic_of(step.compensation->uri).empty();
    const bool uses_bus = !topic_of(step.action.uri).empty() || undoes_by_bus;
    if (uses_bus && step.participant == SagaPromise::plain) {
      tell("participant", "is plain, and a bus may hand over a message twice; it must be barrier, keyed or late");
    }
    if (step.check && !topic_of(step.check->uri).empty()) {
      tell("check", "is sent over a bus, and a look-up has to be answered at once; write http:destination/path");
    }
  }

  /// Nothing is sent, nothing is done, and there is nothing to undo.
  void check_waiting(const SagaStep& step) {
    const bool is_event = saga_call_kind(step.action.uri) == SagaCallKind::event;
    const std::string what = is_event ? "waits for an event" : "waits";
    const auto refuse = [&](bool is_said, const char* field) {
      if (is_said) tell(field, fmt::format("says nothing here: the step calls nobody, it {}; leave it out", what));
    };
    refuse(!step.has_no_effect, "effect");
    refuse(step.compensation.has_value(), "compensation");
    refuse(step.check.has_value(), "check");
    refuse(step.is_pivot, "pivot");
    refuse(!step.action.input.empty(), "action.input");
    refuse(!step.outcomes.empty(), "outcomes");
    const auto is_retry = [](const FailureRule& rule) { return rule.action == FailureAction::retry; };
    if (std::ranges::any_of(step.on_failure, is_retry)) {
      tell("on_failure", fmt::format("says retry, and the step {}; give it more time instead", what));
    }
  }

  void check_name(const std::string& name) {
    if (name.empty()) return tell("name", "is missing");
    if (!is_made_of(name, word_letters, step_name_max)) {
      return tell("name",
                  fmt::format("is {}; it may have letters, digits, _ and -, and at most 64 of them", shown(name)));
    }
    if (name == "input") return tell("name", "is input, which stands for the execution's input; use another one");
    if (!names_.insert(name).second) tell("name", fmt::format("is {}, as an earlier step has it", name));
  }

  /// Whoever leaves it open finds out when money is missing.
  void check_undoing(const SagaStep& step) {
    const bool is_child = saga_call_kind(step.action.uri) == SagaCallKind::child;
    const bool says_how = step.compensation || step.has_no_effect || step.is_pivot || is_after_pivot() || is_child;
    if (!says_how) {
      tell({}, "does not say how it is undone; give it a compensation, or say effect: none or pivot: true");
    }
    if (step.compensation && step.has_no_effect)
      tell("effect", "is none, and there is a compensation; keep one of them");
    if (step.is_pivot && step.has_no_effect) tell("effect", "is none, so it cannot be the pivot; keep one of them");
    if (step.compensation && step.is_pivot) {
      tell("compensation", "is never called: this is the pivot, from which there is no way back; leave it out");
    }
    if (step.compensation && is_after_pivot()) {
      tell("compensation", "is never called: it stands after the pivot, where nothing is undone; leave it out");
    }
  }

  void check_call(const std::string& field, const SagaCall& call) {
    if (const std::string problem = problem_of_uri(call.uri); !problem.empty()) tell(field, problem);
    if (!call.if_unknown.empty() && field != "compensation") {
      tell(field + ".if_unknown", "is for compensations only");
    }
  }

  void check_code(const std::string& field, const std::string& code, bool may_be_any) {
    const bool is_legal = is_made_of(code, std::string(word_letters) + ".:/", code_max) || (may_be_any && code == "*");
    if (is_legal) return;
    tell(field, fmt::format("has the code '{}'; a code has letters, digits and _-.:/{}", shown(code),
                            may_be_any ? ", or is *" : ""));
  }

  void check_rule(const SagaStep& step, const FailureRule& rule) {
    const std::string field = "on_failure." + rule.code;
    check_code("on_failure", rule.code, true);
    const auto has_code = [&](const FailureRule& other) { return other.code == rule.code; };
    if (&*std::ranges::find_if(step.on_failure, has_code) != &rule) tell(field, "is there twice; keep one of them");
    const bool retries = rule.action == FailureAction::retry;
    if (retries && (rule.retries == 0 || rule.retries > rule_retries_max)) tell(field, "retries 1 to 1000 times");
    if (!retries && rule.retries != 0) tell(field, "counts retries and does not retry");
    if (rule.action == FailureAction::compensate && is_after_pivot()) {
      tell(field, "says compensate, and after the pivot nothing is undone; say retry, manual or skip");
    }
  }

  void check_for_each(const SagaStep& step) {
    const std::string& list = step.for_each->list;
    if (list.empty()) tell("for_each.in", "is missing; say which list, as in ${input.items}");
    const bool may_be_list = list.empty() || list.starts_with('[') || is_placeholder(list);
    if (!may_be_list) tell("for_each.in", "is no list; write ${path} and nothing else, or a list");
    const auto refuse = [&](bool is_said, const char* field, const char* problem) {
      if (is_said) tell(field, problem);
    };
    refuse(step.is_pivot, "pivot", "is repeated, and only one thing can be the pivot");
    refuse(step.approval.has_value(), "approval", "would be asked for each element; put it at a step before");
    refuse(is_waiting(step.action.uri), "action", "calls nobody, which need not be repeated; leave for_each out");
    for (const SagaStep& other : definition_.steps) {
      const bool is_taken = other.name == item_root || other.name == index_root;
      refuse(is_taken, "for_each", "reads the element as ${item} and ${index}, and a step has such a name; rename it");
    }
  }

  void check_approval(const SagaApproval& approval) {
    if (approval.on_timeout == FailureAction::retry) {
      tell("approval.on_timeout", "is retry; allowed: compensate, manual, skip");
    }
    if (approval.on_timeout == FailureAction::compensate && is_after_pivot()) {
      tell("approval.on_timeout", "is compensate, and after the pivot nothing is undone; say manual or skip");
    }
  }

  const SagaDefinition& definition_;
  std::optional<std::size_t> step_;
  std::optional<std::size_t> pivot_;
  std::set<std::string> names_;
  std::vector<SagaMistake> mistakes_;
};

std::string field_of(const SagaMistake& mistake, const SagaDefinition& definition) {
  if (!mistake.step) return mistake.field.empty() ? "the definition" : mistake.field;
  const std::string step = fmt::format("step {}", shown(definition.steps[*mistake.step].name));
  return mistake.field.empty() ? step : fmt::format("{}: {}", step, mistake.field);
}

void look_for_carrier(const std::optional<SagaCall>& call, const std::string& field, std::size_t step,
                      std::span<const std::string> urls, std::vector<SagaMistake>& mistakes) {
  if (!call || !is_whole_url(call->uri) || longest_below(call->uri, urls)) return;
  mistakes.push_back({step, field,
                      fmt::format("is {}, and no registered destination has a URL that it begins with; register one, "
                                  "as http:mail with the url https://mail.example/",
                                  shown(call->uri))});
}

Result<> told(const SagaDefinition& definition, const std::vector<SagaMistake>& found) {
  Mistakes mistakes;
  for (const SagaMistake& mistake : found) mistakes.add(field_of(mistake, definition), mistake.problem);
  if (mistakes.empty()) return {};
  return mistakes.as_error(fmt::format("The saga {}", shown(definition.name)));
}

/// Whoever reads a message there cannot tell a step what came of it.
bool is_broker(std::string_view scheme) {
  constexpr std::array<std::string_view, 4> brokers = {"amqp", "kafka", "nats", "redis"};
  return std::ranges::find(brokers, scheme) != brokers.end();
}

std::string problem_of_child(std::string_view uri) {
  const auto child = child_of(uri);
  const bool is_named = child && is_made_of(child->name, std::string(word_letters) + ".", saga_name_max);
  return is_named ? "" : "is no version of a saga; write saga:name@version";
}

std::string problem_of_topic(std::string_view topic) {
  if (topic.size() > topic_bytes_max) return "has a topic of over 255 bytes";
  const auto fine = check_producer_topic(topic);
  return fine ? std::string() : fmt::format("has a topic that is refused: {}", without_stop(fine.error().message));
}

bool is_visible(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F; });
}

}  // namespace

std::string problem_of_uri(std::string_view uri) {
  constexpr std::string_view forms = "write fn:name, http:destination/path, https://…, bus:topic or saga:name@version";
  if (uri.empty()) return fmt::format("is missing; {}", forms);
  if (uri.find("${") != std::string_view::npos) return "has ${ in its address; only input is a template";
  const std::size_t colon = uri.find(':');
  const std::string_view scheme = uri.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? std::string_view() : uri.substr(colon + 1);
  const bool is_legal = is_made_of(scheme, "abcdefghijklmnopqrstuvwxyz0123456789", 32) && !rest.empty() &&
                        rest != "//" && uri.size() <= 2000 && is_visible(uri);
  if (!is_legal) return fmt::format("is '{}', which is no address of a step; {}", shown(uri), forms);
  if (scheme == "bus") return problem_of_topic(rest);
  if (scheme == "saga") return problem_of_child(uri);
  if (scheme == "worker") {
    return fmt::format("is {}:…, which a step cannot call yet; {}", scheme, forms);
  }
  if (is_broker(scheme)) {
    return fmt::format("is {}:…, a broker, which carries messages and answers no calls; {}", scheme, forms);
  }
  if (scheme == "event") {
    return is_made_of(rest, std::string(word_letters) + ".", 128) ? "" : "is no name of an event; write event:name";
  }
  if (scheme == "wait") {
    const auto wait = wait_of(uri);
    return wait && *wait > Duration::zero() && *wait <= std::chrono::days(366)
               ? ""
               : "is no time to wait, up to a year; write wait: 24h";
  }
  if (scheme == "fn") return is_made_of(rest, std::string(word_letters) + ".", 128) ? "" : "is no name of a function";
  if (rest.starts_with("//")) {
    return is_whole_url(uri) ? problem_of_url(uri) : fmt::format("has an address of {}; {}", scheme, forms);
  }
  return is_destination_name(uri.substr(0, uri.find('/'))) ? "" : "is no name of a destination with a path";
}

std::vector<SagaMistake> mistakes_in(const SagaDefinition& definition) { return SagaCheck(definition).run(); }

Result<> check(const SagaDefinition& definition) { return told(definition, mistakes_in(definition)); }

std::vector<SagaMistake> uncarried_urls(const SagaDefinition& definition, std::span<const Destination> destinations) {
  std::vector<std::string> urls;
  urls.reserve(destinations.size());
  for (const Destination& destination : destinations) urls.push_back(url_for_actions(destination));
  std::vector<SagaMistake> mistakes;
  for (std::size_t step = 0; step < definition.steps.size(); ++step) {
    look_for_carrier(definition.steps[step].action, "action", step, urls, mistakes);
    look_for_carrier(definition.steps[step].compensation, "compensation", step, urls, mistakes);
    look_for_carrier(definition.steps[step].check, "check", step, urls, mistakes);
  }
  return mistakes;
}

Result<> check_urls(const SagaDefinition& definition, std::span<const Destination> destinations) {
  return told(definition, uncarried_urls(definition, destinations));
}

}  // namespace makegood
