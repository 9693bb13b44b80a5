// One document in a YAML file, read by whoever knows its form; mistakes are shown at their places.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/document_node.hpp"

namespace makegood::cli {

template <class Read>
struct DocumentRead {
  Read value = {};
  std::vector<api::DocumentMistake> mistakes = {};
};

/// Tells the mistakes of the file; none: its document.
Result<api::DocumentNode> load_yaml_document(const std::string& file);
/// Errc::config_invalid with all of them.
Result<> no_mistakes(const std::string& file, const std::vector<api::DocumentMistake>& mistakes);

template <class Reads>
auto read_yaml_document(const std::string& file, Reads reads)
    -> Result<decltype(reads(std::declval<const api::DocumentNode&>()).value)> {
  const api::DocumentNode node = MAKEGOOD_TRY(load_yaml_document(file));
  auto read = reads(node);
  MAKEGOOD_TRY(no_mistakes(file, read.mistakes));
  return std::move(read.value);
}

}  // namespace makegood::cli
