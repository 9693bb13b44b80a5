#include "cli/suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/nearest.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

std::vector<std::string> verbs_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string meant(const std::string& word, const std::vector<std::string>& known) {
  const std::string nearby = nearest(word, known);
  if (nearby.empty()) return {};
  return fmt::format("'{}' is not known here; did you mean '{}'?", config::printable(word), nearby);
}

bool takes_value(const CLI::App& app, const std::string& flag) {
  const CLI::Option* option = app.get_option_no_throw(flag);
  return option != nullptr && option->get_items_expected_max() > 0;
}

}  // namespace

std::string suggestion_for(const CLI::App& app, std::span<const std::string> words) {
  const CLI::App* current = &app;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string flag = word.substr(0, word.find('='));
    if (word.starts_with("--")) {
      const auto known = flags_of(*current);
      if (std::ranges::find(known, flag) == known.end()) return meant(flag, known);
      if (flag == word && takes_value(*current, flag)) ++i;
    } else if (const auto verbs = verbs_of(*current); !verbs.empty() && !word.starts_with('-')) {
      if (std::ranges::find(verbs, word) == verbs.end()) return meant(word, verbs);
      current = current->get_subcommand(word);
    }
  }
  return {};
}

}  // namespace makegood::cli
