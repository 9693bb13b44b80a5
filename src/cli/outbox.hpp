// What the verbs of `makegood outbox` share.
#pragma once

#include <memory>
#include <string>

#include "cli/program.hpp"
#include "makegood/dead_letters.hpp"

namespace makegood::cli {

/// The outbox that the flags name, as operators see it.
Result<std::unique_ptr<DeadLetterStore>> open_letters(const Program& program);

/// `2026-01-02T03:04:05Z`
std::string time_text(TimePoint time);

}  // namespace makegood::cli
