// Sagas that are steps of others: what is the same for all of them, and whether those that are named are there.
#pragma once

#include <cstddef>

#include "makegood/saga_definition.hpp"
#include "makegood/spi/saga_store.hpp"

namespace makegood {

/// So many may stand inside one another.
inline constexpr std::size_t saga_depth_max = 8;
/// A child ends when it ends: its own deadline counts, not that of an attempt.
inline constexpr Duration child_patience = std::chrono::days(365);

/// Whatever its author has said, a child keeps its answer, and refuses what comes after its compensation.
void settle_child(SagaStep& step);
void settle_children(SagaDefinition& definition);

/// Errc::invalid: a child is not defined, would be inside itself or too deep, or could not be undone as one unit.
Result<> check_children(SagaView& sagas, const SagaDefinition& definition);

}  // namespace makegood
