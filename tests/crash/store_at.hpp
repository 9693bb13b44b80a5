// The store and the dead letters of a place. The clock is a test's own, or the system's: then a server goes by its own.
#pragma once

#include <memory>

#include "makegood/clock.hpp"
#include "makegood/spi/outbox_view.hpp"
#include "makegood/spi/saga_store.hpp"
#include "makegood/spi/store.hpp"
#include "tests/crash/place.hpp"

namespace makegood::crash {

inline constexpr const char* outbox = "makegood_outbox";

Result<std::unique_ptr<OutboxStore>> open_store_at(const Place& place, const Clock& clock);
Result<std::unique_ptr<OutboxView>> open_view_at(const Place& place, const Clock& clock);

/// The same for sagas.
Result<std::unique_ptr<SagaStore>> open_saga_store_at(const Place& place, const Clock& clock);
Result<std::unique_ptr<SagaView>> open_saga_view_at(const Place& place, const Clock& clock);

}  // namespace makegood::crash
