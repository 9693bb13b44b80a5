// What the rest of the program may know of the PostgreSQL store.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/origin.hpp"
#include "makegood/clock.hpp"
#include "makegood/id.hpp"
#include "makegood/spi/idempotency_store.hpp"
#include "makegood/spi/nodes.hpp"
#include "makegood/spi/outbox_view.hpp"
#include "makegood/spi/saga_store.hpp"
#include "makegood/spi/source_store.hpp"

namespace makegood::postgres {

/// What a store is given from outside; it outlives the store.
struct StoreWorld {
  const Clock* instead = nullptr;        ///< A test's clock in the place of the server's.
  const Clock* clock = &system_clock();  ///< For how long things take here.
  Ids* ids = &process_ids();             ///< For events that come without one.
  std::string environment = {};          ///< The name of where this process runs; empty: nowhere in particular.
};

/// Each has a connection of its own. `outbox` is `name` or `schema.name`. Time is the database's.
Result<std::unique_ptr<OutboxStore>> open_store(std::string_view url, std::string_view outbox,
                                                const StoreWorld& world = {});
/// Creates nothing: Errc::schema_mismatch without tables of this version. `instead` as above.
Result<std::unique_ptr<OutboxView>> open_outbox_view(std::string_view url, std::string_view outbox,
                                                     const Clock* instead = nullptr);
/// The same for sagas.
Result<std::unique_ptr<SagaStore>> open_saga_store(std::string_view url, const SagaStoreOptions& options,
                                                   const StoreWorld& world = {});
Result<std::unique_ptr<SagaView>> open_saga_view(std::string_view url, const SagaStoreOptions& options,
                                                 const StoreWorld& world = {});
/// What comes from brokers; its own tables need not be there.
Result<std::unique_ptr<SourceStore>> open_source_store(std::string_view url, std::string_view outbox,
                                                       const StoreWorld& world = {});
/// Those of the schema of this outbox.
Result<std::unique_ptr<Nodes>> open_nodes(std::string_view url, std::string_view outbox);

/// The numbered migrations of this outbox as one readable script.
Result<std::string> migration_script(std::string_view outbox);
/// As of the registry.
Result<SagaTablesState> saga_tables_state(std::string_view url, std::string_view log);
/// The same for a log of sagas, with the tables beside it.
Result<std::string> saga_migration_script(std::string_view log);
/// The same for the tables of its sources, which come on top of those of the outbox.
Result<std::string> source_migration_script(std::string_view outbox);
/// Drops the outbox's tables. Refused while messages in it have not been delivered, unless `even_if_pending`.
Result<> migrate_down(std::string_view url, std::string_view outbox, bool even_if_pending);
/// Whether this database is a copy that has not been adopted (nothing is sent from it), and what that is judged by.
/// Changes nothing; may ask the places where the database was reached before.
Result<OriginReport> examine_origin(std::string_view url, std::string_view outbox, const std::string& environment);
/// Accepts that this database is a copy: from now on it is the real one, in this environment and for all outboxes in
/// the schema of this one.
Result<> adopt(std::string_view url, std::string_view outbox, const std::string& environment = {});

/// Idempotency keys and the inbox, with a connection of their own. `schema`: empty: where the search path leads.
Result<std::unique_ptr<IdempotencyStore>> open_idempotency_store(std::string_view url, std::string_view schema,
                                                                 const StoreWorld& world = {},
                                                                 const ResultStorage& storage = {});
/// The numbered migrations of their tables as one readable script.
Result<std::string> key_migration_script(std::string_view schema);
/// Drops their tables.
Result<> migrate_keys_down(std::string_view url, std::string_view schema);

}  // namespace makegood::postgres
