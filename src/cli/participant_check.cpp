#include "cli/participant_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>

#include "base/json_text.hpp"
#include "makegood/id.hpp"

namespace makegood::cli {
namespace {

constexpr std::size_t concurrent_repeats = 8;

/// One execution of a saga with one step, as the participant sees it. Its last request is a compensation, so that a
/// participant that keeps the rules is as it was before.
class Story {
 public:
  Story(Participant& participant, std::string input)
      : participant_(participant),
        request_{.execution = "check-" + process_ids().new_ulid(), .input = std::move(input)} {}

  ParticipantRequest action(std::uint32_t round = 1) {
    ParticipantRequest request = request_;
    request.round = round;
    request.attempt = ++attempts_;
    highest_round_ = std::max(highest_round_, round);
    return request;
  }
  ParticipantRequest compensation(std::uint32_t round = 1) {
    ParticipantRequest request = request_;
    request.is_compensation = true;
    request.round = round;
    request.action_round = highest_round_;
    request.attempt = ++attempts_;
    request.output = output_;
    return request;
  }

  /// Empty: it was as it must be.
  std::string act(std::uint32_t round = 1) { return expect_ok(participant_.ask(action(round))); }
  std::string undo(std::uint32_t round = 1) {
    const ParticipantAnswer answer = participant_.ask(compensation(round));
    if (answer.outcome == SagaOutcome::ok && !answer.is_accepted) return {};
    return fmt::format("The compensation must be answered ok, and was answered {}.", to_string(answer));
  }
  std::string act_refused(std::uint32_t round = 1) { return expect_refused(participant_.ask(action(round))); }
  static std::string expect_refused(const ParticipantAnswer& answer) {
    if (answer.outcome == SagaOutcome::fail) return {};
    return fmt::format("The action must be refused (4xx with a JSON code), and was answered {}.", to_string(answer));
  }
  /// The first answer is remembered; others must be the same.
  std::string expect_ok(const ParticipantAnswer& answer) {
    if (answer.is_accepted)
      return "It answers 202, later; this test has no address for callbacks. Let it answer at once.";
    if (answer.outcome != SagaOutcome::ok) {
      return fmt::format("The action must be answered ok, and was answered {}. {}", to_string(answer), answer.error);
    }
    const std::string output = json::compact(answer.output).value_or(answer.output);
    if (output_.empty()) output_ = output;
    if (output == output_) return {};
    return fmt::format("The first answer was {}, and the same request again was answered {}.", output_, output);
  }
  void forget_output() { output_.clear(); }

 private:
  Participant& participant_;
  ParticipantRequest request_;
  std::string output_ = {};
  std::uint32_t highest_round_ = 1;
  std::uint32_t attempts_ = 0;
};

/// The output of a command, without the line's end. Nothing: it failed.
std::optional<std::string> output_of(const std::string& command) {
  std::string output;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::array<char, 4096> buffer = {};
  while (const std::size_t read = std::fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), read);
  if (::pclose(pipe) != 0) return std::nullopt;
  while (output.ends_with('\n')) output.pop_back();
  return output;
}

/// The first of them that is a problem.
template <class... Steps>
std::string first_problem(const Steps&... steps) {
  std::string problem;
  const auto is_problem = [&](const auto& step) { return !(problem = step()).empty(); };
  static_cast<void>((is_problem(steps) || ...));
  return problem;
}

class ParticipantCheck {
 public:
  ParticipantCheck(Participant& participant, const ParticipantCheckOptions& options)
      : participant_(participant), options_(options) {}

  Result<std::vector<CheckedRule>> run() {
    MAKEGOOD_TRY(look());
    std::vector<CheckedRule> checked;
    for (const Rule& rule : rules) checked.push_back(check(rule));
    return checked;
  }

 private:
  struct Rule {
    std::string_view name;
    std::string_view sentence;
    std::string (ParticipantCheck::*tell)();
    bool (*is_of)(SagaPromise promise);
    std::string ParticipantCheckOptions::* needs = nullptr;
    std::string_view flag = {};
  };

  static bool of_all(SagaPromise promise) { return promise != SagaPromise::plain; }
  static bool of_barrier(SagaPromise promise) { return promise == SagaPromise::barrier; }
  static bool of_keyed(SagaPromise promise) { return promise == SagaPromise::keyed; }
  static const std::array<Rule, 12> rules;

  /// Somebody is there, and the state can be told.
  Result<> look() {
    Story story(participant_, options_.input);
    const ParticipantAnswer answer = participant_.ask(story.compensation());
    if (!answer.has_left) return Error{Errc::unavailable, "The participant cannot be reached.", answer.error};
    if (!options_.state_command.empty() && !output_of(options_.state_command)) {
      return Error{Errc::invalid, "The command of --state-command has failed."};
    }
    return {};
  }

  CheckedRule check(const Rule& rule) {
    CheckedRule checked{.name = rule.name, .rule = rule.sentence, .verdict = CheckedRule::Verdict::skipped};
    if (!rule.is_of(options_.promise)) {
      checked.detail = fmt::format("{} does not promise it", to_string(options_.promise));
    } else if (rule.needs != nullptr && (options_.*rule.needs).empty()) {
      checked.detail = fmt::format("needs {}", rule.flag);
    } else {
      const std::string before = state();
      checked.detail = (this->*rule.tell)();
      if (checked.detail.empty()) checked.detail = unlike(before, "It is undone");
      checked.verdict = checked.detail.empty() ? CheckedRule::Verdict::passed : CheckedRule::Verdict::failed;
    }
    return checked;
  }

  std::string state() const {
    return options_.state_command.empty() ? "" : output_of(options_.state_command).value_or("(the command failed)");
  }
  /// A problem unless the state is still this one.
  std::string unlike(const std::string& before, std::string_view when) const {
    const std::string now = state();
    return now == before ? "" : fmt::format("{}, but the state was {} before and is {} now.", when, before, now);
  }

  Story story() const { return {participant_, options_.input}; }

  std::string repeat() {
    Story one = story();
    const std::string before = state();
    if (const std::string problem = one.act(); !problem.empty()) return problem;
    const std::string done = state();
    if (!options_.state_command.empty() && done == before) {
      return "The action was done, and --state-command prints the same as before: it does not show the effect.";
    }
    return first_problem([&] { return one.act(); }, [&] { return unlike(done, "The action was repeated"); },
                         [&] { return one.undo(); });
  }

  std::string concurrent_repeat() {
    Story one = story();
    std::vector<ParticipantRequest> requests;
    while (requests.size() < concurrent_repeats) requests.push_back(one.action());
    for (const ParticipantAnswer& answer : participant_.ask(requests)) {
      const bool is_open = answer.outcome == SagaOutcome::unknown || answer.outcome == SagaOutcome::retry;
      if (is_open && !answer.is_accepted) continue;  // Busy, perhaps: it is asked again.
      if (const std::string problem = one.expect_ok(answer); !problem.empty()) return problem;
    }
    return first_problem([&] { return one.act(); }, [&] { return one.undo(); });
  }

  std::string kept_failure() {
    Story one(participant_, options_.refused_input);
    const ParticipantAnswer first = participant_.ask(one.action());
    const ParticipantAnswer second = participant_.ask(one.action());
    if (first.outcome != SagaOutcome::fail) {
      return fmt::format("This input must be refused, and was answered {}.", to_string(first));
    }
    if (to_string(first) != to_string(second)) {
      return fmt::format("It was answered {}, and the same request again {}.", to_string(first), to_string(second));
    }
    return one.undo();
  }

  std::string repeated_compensation() {
    Story one = story();
    return first_problem([&] { return one.act(); }, [&] { return one.undo(); }, [&] { return one.undo(); });
  }

  std::string second_compensation_round() {
    Story one = story();
    return first_problem([&] { return one.act(); }, [&] { return one.undo(1); }, [&] { return one.undo(2); });
  }

  std::string action_after_compensation() {
    Story one = story();
    return first_problem([&] { return one.act(); }, [&] { return one.undo(); }, [&] { return one.act_refused(); });
  }

  std::string compensation_without_action() { return story().undo(); }

  std::string compensation_before_action() {
    Story one = story();
    return first_problem([&] { return one.undo(); }, [&] { return one.act_refused(); });
  }

  std::string higher_round() {
    Story one = story();
    return first_problem([&] { return one.act(2); }, [&] { return one.act_refused(1); }, [&] { return one.undo(); });
  }

  std::string all_rounds() {
    Story one = story();
    const auto act_anew = [&] { return one.forget_output(), one.act(2); };
    return first_problem([&] { return one.act(1); }, act_anew, [&] { return one.undo(); },
                         [&] { return one.act_refused(1); }, [&] { return one.act_refused(2); });
  }

  std::string deadline() {
    Story one = story();
    ParticipantRequest request = one.action();
    request.is_late = true;
    const ParticipantAnswer answer = participant_.ask(request);
    if (answer.outcome == SagaOutcome::ok) {
      return fmt::format("Its deadline had passed a minute before, and it was answered {}.", to_string(answer));
    }
    return one.undo();
  }

  /// While a request is on its way, after the action was done, and after it was undone.
  std::string killed() {
    Story one = story();
    std::string problem;
    static_cast<void>(participant_.ask(one.action(), [&] { problem = kill(); }));
    if (!problem.empty()) return problem;
    const auto repeat = [&] { return one.expect_ok(ask_until_definite(one)); };
    const auto refused = [&] { return Story::expect_refused(ask_until_definite(one)); };
    return first_problem(
        repeat, [&] { return kill(); }, repeat, [&] { return one.undo(); }, [&] { return kill(); }, refused);
  }
  /// Nothing is read from it: what it leaves running may keep its output open.
  std::string kill() const {
    FILE* const pipe = ::popen(options_.kill_command.c_str(), "w");
    const bool has_worked = pipe != nullptr && ::pclose(pipe) == 0;
    return has_worked ? "" : "The command of --kill-command has failed.";
  }

  ParticipantAnswer ask_until_definite(Story& one) {
    const auto until = std::chrono::steady_clock::now() + options_.back_within;
    while (true) {
      ParticipantAnswer answer = participant_.ask(one.action());
      const bool is_definite = answer.outcome == SagaOutcome::ok || answer.outcome == SagaOutcome::fail;
      if (is_definite || std::chrono::steady_clock::now() > until) return answer;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  Participant& participant_;
  const ParticipantCheckOptions& options_;
};

constexpr std::array<ParticipantCheck::Rule, 12> ParticipantCheck::rules = {{
    {"repeat", "A repeated action gets the stored answer", &ParticipantCheck::repeat, of_all},
    {"concurrent_repeats", "Repeats at the same time are done once", &ParticipantCheck::concurrent_repeat, of_all},
    {"kept_failure", "A failure is kept, and leaves nothing", &ParticipantCheck::kept_failure, of_all,
     &ParticipantCheckOptions::refused_input, "--refused-input"},
    {"repeated_compensation", "A compensation undoes its action once", &ParticipantCheck::repeated_compensation,
     of_all},
    {"second_compensation_round", "A second round of a compensation changes nothing",
     &ParticipantCheck::second_compensation_round, of_all},
    {"compensation_without_action", "A compensation without an action is ok and changes nothing",
     &ParticipantCheck::compensation_without_action, of_all},
    {"compensation_before_action", "A compensation blocks an action that comes after it",
     &ParticipantCheck::compensation_before_action, of_barrier},
    {"action_after_compensation", "An action that is undone is refused", &ParticipantCheck::action_after_compensation,
     of_barrier},
    {"higher_round", "A higher round refuses a lower one that has no answer", &ParticipantCheck::higher_round,
     of_barrier},
    {"all_rounds", "A compensation undoes every round of its action", &ParticipantCheck::all_rounds, of_barrier},
    {"deadline", "Nothing begins after its deadline", &ParticipantCheck::deadline, of_keyed},
    {"killed", "A participant that is killed keeps its word", &ParticipantCheck::killed, of_barrier,
     &ParticipantCheckOptions::kill_command, "--kill-command"},
}};

}  // namespace

std::string_view to_string(CheckedRule::Verdict verdict) {
  switch (verdict) {
    case CheckedRule::Verdict::passed:
      return "passed";
    case CheckedRule::Verdict::failed:
      return "failed";
    case CheckedRule::Verdict::skipped:
      return "skipped";
  }
  std::unreachable();
}

Result<std::vector<CheckedRule>> check_participant(Participant& participant, const ParticipantCheckOptions& options) {
  return ParticipantCheck(participant, options).run();
}

}  // namespace makegood::cli
