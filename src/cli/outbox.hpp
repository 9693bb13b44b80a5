// What the verbs of `makegood outbox` share.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/program.hpp"
#include "makegood/dead_letters.hpp"

namespace makegood::cli {

/// A verb that asks the owner of the lane for something.
struct RequestVerb {
  RequestKind kind;
  const char* name;
  const char* description;
  const char* next;  ///< What happens next, as the end of a sentence.
};

/// The outbox that the flags name, as operators see it.
Result<std::unique_ptr<DeadLetterStore>> open_letters(const Program& program);
/// `--operator` and `--reason`.
void add_request_flags(CLI::App& verb, NewRequest& asked);
/// Appends the request and says how to learn what became of it.
Result<> record(DeadLetterStore& letters, const RequestVerb& verb, const NewRequest& asked);

/// `2026-01-02T03:04:05Z`
std::string time_text(TimePoint time);

}  // namespace makegood::cli
