// The definition of a saga as a picture: a tree of text, or Mermaid.
#pragma once

#include <string>

#include "makegood/saga_definition.hpp"

namespace makegood {

/// Lines that end with a newline.
std::string drawn_as_tree(const SagaDefinition& definition);
/// A flowchart: `https://mermaid.js.org`.
std::string drawn_as_mermaid(const SagaDefinition& definition);

}  // namespace makegood
