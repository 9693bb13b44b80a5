#include "cli/age.hpp"

#include <fmt/format.h>

#include <chrono>

#include "api/time_text.hpp"
#include "config/mistake.hpp"
#include "config/quantity.hpp"

namespace makegood::cli {

std::string age_text(Duration age) {
  using namespace std::chrono;
  // Up to two of the smaller unit, because "1 h" for 119 minutes would mislead.
  if (age < 2min) return fmt::format("{} s", floor<seconds>(age).count());
  if (age < 2h) return fmt::format("{} min", floor<minutes>(age).count());
  if (age < 48h) return fmt::format("{} h", floor<hours>(age).count());
  return fmt::format("{} d", floor<days>(age).count());
}

std::string ago_text(std::string_view moment, TimePoint now) {
  const auto time = api::time_from(moment);
  if (!time) return std::string(moment);
  return *time > now ? "in " + age_text(*time - now) : age_text(now - *time) + " ago";
}

Result<std::string> moment_argument(const std::string& text, TimePoint now) {
  if (text.empty() || api::time_from(text)) return text;
  if (const auto age = config::parse_duration(text)) return api::time_text(now - *age);
  return Error{Errc::invalid,
               fmt::format("'{}' is no moment; write 2026-01-02T03:04:05Z, or how long ago: 90s, 15m, 2h.",
                           config::printable(text))};
}

}  // namespace makegood::cli
