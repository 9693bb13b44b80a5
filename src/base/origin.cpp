#include "base/origin.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace makegood {
namespace {

std::string joined(const std::vector<Trait>& traits, auto is_told) {
  std::vector<std::string> texts;
  for (const Trait& trait : traits) {
    if (is_told(trait)) texts.push_back(to_string(trait));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string_view or_none(std::string_view text) { return text.empty() ? "none" : text; }

}  // namespace

NameVerdict compare_environments(std::string_view recorded, std::string_view here) {
  if (recorded.empty()) return NameVerdict::silent;
  return recorded == here ? NameVerdict::ours : NameVerdict::copy;
}

std::string to_string(const Trait& trait) {
  if (trait.is_only_shown) return fmt::format("{} {}", trait.name, trait.here);
  if (trait.recorded == trait.here) return fmt::format("{} {} as recorded", trait.name, or_none(trait.here));
  return fmt::format("{} {} here and {} recorded", trait.name, or_none(trait.here), or_none(trait.recorded));
}

std::string compared(const OriginReport& report) {
  return joined(report.traits, [](const Trait& trait) { return !trait.here.empty() || !trait.recorded.empty(); });
}

Error copy_error(const OriginReport& report) {
  return {Errc::store_foreign,
          "This database is a copy; nothing is sent from it. If it is the real one now, run `makegood adopt`.",
          joined(report.traits, [](const Trait& trait) { return trait.differs; })};
}

}  // namespace makegood
