#include "tests/crash/store_at.hpp"

#include "stores/postgres/postgres.hpp"
#include "stores/sqlite/sqlite.hpp"

namespace makegood::crash {
namespace {

const Clock* instead_of_the_servers(const Clock& clock) { return &clock == &system_clock() ? nullptr : &clock; }

}  // namespace

Result<std::unique_ptr<OutboxStore>> open_store_at(const Place& place, const Clock& clock) {
  if (place.server.empty()) return sqlite::open_store(place.database(), outbox, clock);
  return postgres::open_store(place.server, outbox, {.instead = instead_of_the_servers(clock)});
}

Result<std::unique_ptr<OutboxView>> open_view_at(const Place& place, const Clock& clock) {
  if (place.server.empty()) return sqlite::open_outbox_view(place.database(), outbox, clock);
  return postgres::open_outbox_view(place.server, outbox, instead_of_the_servers(clock));
}

Result<std::unique_ptr<SagaStore>> open_saga_store_at(const Place& place, const Clock& clock) {
  if (place.server.empty()) return sqlite::open_saga_store(place.database(), {}, clock);
  return postgres::open_saga_store(place.server, {}, {.instead = instead_of_the_servers(clock)});
}

Result<std::unique_ptr<SagaView>> open_saga_view_at(const Place& place, const Clock& clock) {
  if (place.server.empty()) return sqlite::open_saga_view(place.database(), {}, clock);
  return postgres::open_saga_view(place.server, {}, {.instead = instead_of_the_servers(clock)});
}

}  // namespace makegood::crash
