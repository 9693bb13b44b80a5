// The model store, with one of the mistakes that stores have made.
#pragma once

#include <memory>

#include "makegood/spi/store.hpp"
#include "stores/memory/memory.hpp"

namespace makegood::sim {

/// The store itself while no mutant is chosen.
std::unique_ptr<OutboxStore> with_mistakes(std::unique_ptr<OutboxStore> store,
                                           std::shared_ptr<memory::Database> database, const Clock& clock);

}  // namespace makegood::sim
