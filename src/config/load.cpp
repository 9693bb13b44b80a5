#include "config/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "base/nearest.hpp"
#include "config/check.hpp"
#include "config/kubernetes.hpp"
#include "config/yaml_file.hpp"

namespace makegood::config {
namespace {

template <class Item>
void append(std::vector<Item>& to, std::vector<Item> from) {
  to.insert(to.end(), std::move_iterator(from.begin()), std::move_iterator(from.end()));
}

Reading read_flags(const std::vector<Flag>& flags) {
  Reading reading;
  for (const Flag& flag : flags) {
    Origin origin{Origin::Kind::flag, flag.name};
    if (const Key* key = find_key(flag.key)) {
      reading.assignments.push_back({key, flag.value, std::move(origin)});
    } else {
      reading.findings.mistakes.push_back(unknown_key(flag.key, std::move(origin)));
    }
  }
  return reading;
}

void apply(const Assignment& assignment, Loaded& loaded) {
  const Key& key = *assignment.key;
  if (const Complaint complaint = assign(key, loaded.config, assignment.raw, assignment.writing)) {
    loaded.findings.mistakes.push_back(
        {assignment.origin, std::string(key.name), shown(key, assignment.raw), *complaint, "allowed: " + allowed(key)});
    return;
  }
  loaded.config.origins.insert_or_assign(std::string(key.name), assignment.origin);
}

void take_over(Reading reading, Loaded& loaded) {
  append(loaded.findings.mistakes, std::move(reading.findings.mistakes));
  append(loaded.findings.warnings, std::move(reading.findings.warnings));
  for (const Assignment& assignment : reading.assignments) apply(assignment, loaded);
}

}  // namespace

Mistake unknown_key(std::string_view name, Origin where) {
  std::vector<std::string> known;
  for (const Key& key : keys()) known.emplace_back(key.name);
  const std::string meant = nearest(name, known, '.');
  return {std::move(where),
          std::string(name),
          {},
          "is not a known key",
          meant.empty() ? "'makegood config keys' lists all" : fmt::format("is it {}?", meant)};
}

Loaded load(const Sources& sources) {
  Loaded loaded;
  take_over(read_service_account(sources.service_account), loaded);
  if (sources.file) take_over(read_yaml_file(*sources.file), loaded);
  take_over(read_environment(sources.environment), loaded);
  take_over(read_flags(sources.flags), loaded);
  check_together(loaded.config, loaded.findings);
  // In the order of the file, whatever was found first.
  std::ranges::stable_sort(loaded.findings.mistakes, {},
                           [](const Mistake& mistake) { return std::pair(mistake.where.kind, mistake.where.line); });
  return loaded;
}

std::optional<std::string> find_file(const std::string& asked_for, const Environment& environment) {
  if (!asked_for.empty()) return asked_for;
  for (const auto& [variable, value] : environment) {
    if (variable == "MAKEGOOD_CONFIG" && !value.empty()) return value;
  }
  std::error_code ignored;
  if (std::filesystem::exists("makegood.yaml", ignored)) return "makegood.yaml";
  return {};
}

}  // namespace makegood::config
