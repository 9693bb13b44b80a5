#include "cli/yaml_document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <fstream>
#include <iterator>

#include "cli/yaml_node.hpp"
#include "config/mistake.hpp"
#include "config/yaml_bounds.hpp"

namespace makegood::cli {
namespace {

Result<std::string> text_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) return Error{Errc::config_invalid, fmt::format("{} cannot be read.", file)};
  return text;
}

Error one_mistake(const std::string& file, int line, std::string problem) {
  const config::Origin where{config::Origin::Kind::file, file, line};
  const config::Mistake mistake{.where = where, .problem = std::move(problem)};
  return config::to_error({&mistake, 1});
}

}  // namespace

Result<api::DocumentNode> load_yaml_document(const std::string& file) {
  const std::string text = MAKEGOOD_TRY(text_of(file));
  try {
    if (const auto excess = config::yaml_excess(text)) return one_mistake(file, excess->line, excess->problem);
    std::vector<api::DocumentMistake> mistakes;
    api::DocumentNode node = node_from_yaml(YAML::Load(text), mistakes);
    MAKEGOOD_TRY(no_mistakes(file, mistakes));
    return node;
  } catch (const YAML::Exception& failure) {
    return one_mistake(file, failure.mark.is_null() ? 0 : failure.mark.line + 1, "is not YAML: " + failure.msg);
  }
}

Result<> no_mistakes(const std::string& file, const std::vector<api::DocumentMistake>& mistakes) {
  if (mistakes.empty()) return {};
  const std::string text = MAKEGOOD_TRY(text_of(file));
  std::vector<config::Mistake> told;
  for (const api::DocumentMistake& mistake : mistakes) {
    const config::Origin where{config::Origin::Kind::file, file, mistake.place.line, mistake.place.column};
    told.push_back({.where = where,
                    .key = mistake.pointer,
                    .problem = mistake.problem,
                    .excerpt = excerpt_of(text, mistake.place)});
  }
  return config::to_error(told);
}

}  // namespace makegood::cli
