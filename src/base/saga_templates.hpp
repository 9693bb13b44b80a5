// Whether the templates of a saga read only what is there when they are filled.
#pragma once

#include <vector>

#include "base/saga_check.hpp"

namespace makegood {

/// A step reads `input` and steps of earlier groups; its siblings are running beside it. A compensation reads its own
/// step too, but nobody may know that step's output: then it needs `if_unknown`, or defaults. Keys are always known.
std::vector<SagaMistake> mistakes_in_templates(const SagaDefinition& definition);

}  // namespace makegood
