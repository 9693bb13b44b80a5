#include "config/environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/nearest.hpp"

namespace makegood::config {
namespace {

const std::string* find(const Environment& environment, std::string_view name) {
  for (const auto& [variable, value] : environment) {
    if (variable == name && !value.empty()) return &value;
  }
  return nullptr;
}

Origin in_variable(std::string name) { return {Origin::Kind::environment, std::move(name)}; }

std::vector<std::string> known_variables() {
  std::vector<std::string> names = {"MAKEGOOD_CONFIG", "MAKEGOOD_TOKEN", "MAKEGOOD_TOKENS", "MAKEGOOD_SERVER"};
  for (const Key& key : keys()) {
    names.push_back(variable_of(key));
    if (!key.alias.empty()) names.emplace_back(key.alias);
  }
  return names;
}

void read_key(const Key& key, const Environment& environment, Reading& reading) {
  const std::string variable = variable_of(key);
  const std::string* ours = find(environment, variable);
  const std::string* alias = key.alias.empty() ? nullptr : find(environment, key.alias);
  // Both are taken over, in rising priority, so that a mistake in either is told.
  if (alias != nullptr) {
    reading.assignments.push_back({&key, *alias, in_variable(std::string(key.alias)), Writing::with_unit});
  }
  if (ours != nullptr) reading.assignments.push_back({&key, *ours, in_variable(variable)});
  if (ours == nullptr || alias == nullptr) return;
  reading.findings.warnings.push_back({in_variable(variable),
                                       std::string(key.name),
                                       {},
                                       fmt::format("is set by {} too", key.alias),
                                       "the first one counts"});
}

}  // namespace

Environment process_environment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

Reading read_environment(const Environment& environment) {
  Reading reading;
  for (const Key& key : keys()) read_key(key, environment, reading);
  const std::vector<std::string> known = known_variables();
  for (const auto& [variable, value] : environment) {
    if (!variable.starts_with("MAKEGOOD_") && !variable.starts_with("OUTBOX_")) continue;
    if (std::ranges::find(known, variable) != known.end() || variable.starts_with("MAKEGOOD_SECRET_")) continue;
    const std::string meant = nearest(variable, known);
    if (meant.empty()) continue;
    reading.findings.warnings.push_back(
        {in_variable(variable), {}, {}, "is not a known variable and has no effect", fmt::format("is it {}?", meant)});
  }
  return reading;
}

}  // namespace makegood::config
