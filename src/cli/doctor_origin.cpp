// Whether a store is a copy, and what that is judged by.
#include <fmt/format.h>

#include <algorithm>

#include "cli/doctor.hpp"

namespace makegood::cli {

using enum Diagnosis::State;

Diagnosis diagnose_copy(const OriginReport& report, std::string check, const std::string& store_flag) {
  const std::string judged_by = compared(report);
  if (!report.is_copy && std::ranges::any_of(report.traits, &Trait::asks_for_a_look)) {
    return {warning, std::move(check),
            fmt::format("This is the original, and its log's sequence was altered or restarted: {}.", judged_by),
            fmt::format("Make sure that no number was drawn twice: what was enqueued since then must be delivered, and "
                        "`makegood status` says if a number was noticed. Then record the sequence as it is: "
                        "makegood adopt {}",
                        store_flag)};
  }
  if (!report.is_copy) return {good, std::move(check), fmt::format("This is the original: {}.", judged_by)};
  return {
      wrong, std::move(check), fmt::format("This is a copy, nothing is sent from it: {}.", judged_by),
      fmt::format("In staging: good, leave it so. If it is the real one now, stop the original, then: makegood adopt "
                  "{}",
                  store_flag)};
}

Diagnosis diagnose_environment(const std::string& environment) {
  if (!environment.empty()) return {good, "environment", fmt::format("This process runs in {}.", environment)};
  return {warning, "environment",
          "store.environment is not set: a copy that is reached, or lies, exactly as the original does is not noticed.",
          "Give each environment a name, the same for all processes in it: store.environment: production"};
}

}  // namespace makegood::cli
