// Definitions as a seed draws them: valid ones, as `makegood saga apply` would take them.
#pragma once

#include <span>
#include <string>

#include "makegood/saga_definition.hpp"
#include "sim/chance.hpp"

namespace makegood::sim {

inline constexpr std::size_t saga_participant_count = 3;
/// `http:p0` …
std::string saga_participant(std::size_t index);

/// `children` may be steps of it.
SagaDefinition draw_definition(const std::string& name, std::span<const SagaDefinition> children, Chance& chance);
/// The same steps, with other bodies and other times.
SagaDefinition varied(SagaDefinition definition, Chance& chance);

}  // namespace makegood::sim
