// YAML as a document with places, and a place shown to people.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <string_view>
#include <vector>

#include "api/document_node.hpp"

namespace makegood::cli {

/// Scalars get the types that JSON has; what is quoted is a text. What is not a name becomes a mistake.
api::DocumentNode node_from_yaml(const YAML::Node& node, std::vector<api::DocumentMistake>& mistakes);
/// Whether JSON would take it for a number.
bool is_json_number(const std::string& text);

/// The line with a mark under the place; empty when the place is not known.
std::string excerpt_of(std::string_view text, api::TextPlace place);

}  // namespace makegood::cli
