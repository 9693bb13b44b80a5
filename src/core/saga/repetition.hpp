// Steps that are carried out once for each element of a list. When the list is known, the execution's definition gets a
// step for each element in the place of the one: everything else, attempts, compensations, operators, knows steps only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/saga_definition.hpp"

namespace makegood::core {

/// Which element a step is for.
struct SagaItem {
  std::string step = {};  ///< The name that the definition has for all of them.
  std::size_t index = 0;
  std::string value = {};  ///< JSON.
  std::uint32_t concurrency = 1;
};
/// Of each step of a definition; nothing: it is not repeated.
using SagaItems = std::vector<std::optional<SagaItem>>;
/// By the name of the step: its list, element by element.
using SagaLists = std::map<std::string, std::vector<std::string>, std::less<>>;

struct SpreadDefinition {
  SagaDefinitionPtr definition;
  SagaItems items = {};
};
/// Those that are not among `lists` stay as they are.
SpreadDefinition spread_out(const SagaDefinitionPtr& pinned, const SagaLists& lists);

std::string item_name(std::string_view step, std::size_t index);

}  // namespace makegood::core
