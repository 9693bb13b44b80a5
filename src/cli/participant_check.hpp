// Whether a participant keeps the rules of what it promises: each rule is a short story of requests, told to the
// participant over HTTP. What it can show is in its answers, and in the output of a command that tells its state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/participant.hpp"

namespace makegood::cli {

struct ParticipantCheckOptions {
  SagaPromise promise = SagaPromise::barrier;
  std::string input = "{}";        ///< Of actions that succeed, JSON.
  std::string refused_input = {};  ///< Of one that the participant refuses; empty: not tried.
  std::string state_command = {};  ///< Prints the participant's state; empty: only answers are looked at.
  std::string kill_command = {};   ///< Kills the participant and starts it again; empty: not tried.
  Duration back_within = std::chrono::seconds(30);  ///< After it was killed.
};

struct CheckedRule {
  enum class Verdict : std::uint8_t { passed, failed, skipped };
  std::string_view name;  ///< Stable, for programs.
  std::string_view rule;  ///< A sentence.
  Verdict verdict = Verdict::passed;
  std::string detail = {};  ///< What went wrong, or why it was not tried.
};
std::string_view to_string(CheckedRule::Verdict verdict);

/// Errc::unavailable when nobody is there.
Result<std::vector<CheckedRule>> check_participant(Participant& participant, const ParticipantCheckOptions& options);

}  // namespace makegood::cli
