// Whether the templates of a saga read only what is there when they are filled.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/saga_check.hpp"
#include "base/template_syntax.hpp"

namespace makegood {

/// What templates call the input of an execution; no step has this name.
inline constexpr std::string_view execution_input = "input";
/// What templates of a step with `for_each` call the element and its place.
inline constexpr std::string_view item_root = "item";
inline constexpr std::string_view index_root = "index";

/// A field of a definition that is a template or a condition, and what it reads.
struct TemplateField {
  std::optional<std::size_t> step = {};  ///< Nothing: the definition itself.
  std::string field;                     ///< In a document's words: `compensation.input`.
  Result<std::vector<TemplateUse>> uses;
};
/// All that are there, in the order of the definition.
std::vector<TemplateField> template_fields(const SagaDefinition& definition);

/// A step reads `input` and steps of earlier groups; its siblings are running beside it. A compensation reads its own
/// step too, but nobody may know that step's output: then it needs `if_unknown`, or defaults. Keys are always known.
std::vector<SagaMistake> mistakes_in_templates(const SagaDefinition& definition);

}  // namespace makegood
