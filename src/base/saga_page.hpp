// A page of executions out of several sources, each of which goes downwards and may end early.
#pragma once

#include <vector>

#include "makegood/spi/saga_store.hpp"

namespace makegood {

/// What one source has answered.
struct SagaSlice {
  std::vector<SagaSummary> items = {};  ///< Downwards.
  Sequence covered_to = 0;              ///< It has nothing more at or above this number; 0: it has nothing more at all.
};

/// The highest of all, as far down as every source was looked into, and no more than `rows_max`.
SagaPage page_of(std::vector<SagaSlice> slices, std::size_t rows_max);

/// Whether everything in these states is found among what is parked or has ended other than well.
bool are_rare(const std::vector<SagaState>& states);

}  // namespace makegood
