#include "config/reload.hpp"

#include <fmt/format.h>

#include "config/value.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::config {
namespace {

void take_over(const Key& key, const Config& fresh, Config& running) {
  const std::string text = text_of(key, fresh);
  // Texts of values are made to be read back, so this cannot fail for a value that was accepted once.
  const Complaint complaint = assign(key, running, text);
  MAKEGOOD_ASSERT(!complaint);
}

void take_over_origin(const Key& key, const Config& fresh, Config& running) {
  const auto origin = fresh.origins.find(key.name);
  if (origin == fresh.origins.end()) {
    running.origins.erase(std::string(key.name));
  } else {
    running.origins.insert_or_assign(origin->first, origin->second);
  }
}

}  // namespace

Reload reload(const Sources& sources, const Config& running) {
  Loaded fresh = load(sources);
  Reload result{.config = running, .findings = std::move(fresh.findings)};
  if (!result.findings.mistakes.empty()) return result;
  for (const Key& key : keys()) {
    const bool is_changed = text_of(key, fresh.config) != text_of(key, running);
    const Change change{std::string(key.name), shown(key, running), shown(key, fresh.config)};
    if (is_changed && !key.is_reloadable) {
      result.needs_restart.push_back(change);
      continue;
    }
    if (is_changed) {
      take_over(key, fresh.config, result.config);
      result.changed.push_back(change);
    }
    take_over_origin(key, fresh.config, result.config);
  }
  return result;
}

std::vector<Told> describe(const Reload& reload) {
  std::vector<Told> told;
  for (const Mistake& mistake : reload.findings.mistakes) {
    told.push_back({LogLevel::error, "mistake: " + to_string(mistake)});
  }
  if (!told.empty()) told.push_back({LogLevel::error, "nothing was changed"});
  for (const Mistake& warning : reload.findings.warnings) {
    told.push_back({LogLevel::warning, "warning: " + to_string(warning)});
  }
  const auto tell = [&](LogLevel level, const char* what, const Change& change) {
    told.push_back(
        {level, fmt::format("{}: {} from {} to {}", what, change.key, printable(change.from), printable(change.to))});
  };
  for (const Change& change : reload.changed) tell(LogLevel::info, "changed", change);
  for (const Change& change : reload.needs_restart) tell(LogLevel::warning, "needs a restart", change);
  return told;
}

}  // namespace makegood::config
