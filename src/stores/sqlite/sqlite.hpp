// What the rest of the program may know of the SQLite store.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/origin.hpp"
#include "makegood/clock.hpp"
#include "makegood/id.hpp"
#include "makegood/spi/idempotency_store.hpp"
#include "makegood/spi/outbox_view.hpp"
#include "makegood/spi/saga_store.hpp"
#include "makegood/spi/source_store.hpp"

namespace makegood::sqlite {

/// One connection of its own to the file at `path`. Creates the file, not the tables. `environment` names where this
/// process runs; empty: nowhere in particular.
Result<std::unique_ptr<OutboxStore>> open_store(std::string_view path, std::string_view outbox, const Clock& clock,
                                                Ids& ids = process_ids(), std::string environment = {});
/// Creates nothing: Errc::not_found without a file, Errc::schema_mismatch without tables of this version.
Result<std::unique_ptr<OutboxView>> open_outbox_view(std::string_view path, std::string_view outbox,
                                                     const Clock& clock = system_clock());

/// As open_store and open_outbox_view, for sagas.
Result<std::unique_ptr<SagaStore>> open_saga_store(std::string_view path, const SagaStoreOptions& options,
                                                   const Clock& clock = system_clock(), Ids& ids = process_ids());
Result<std::unique_ptr<SagaView>> open_saga_view(std::string_view path, const SagaStoreOptions& options,
                                                 const Clock& clock = system_clock(), Ids& ids = process_ids());

/// What comes from brokers, as open_outbox_view; its own tables need not be there.
Result<std::unique_ptr<SourceStore>> open_source_store(std::string_view path, std::string_view outbox,
                                                       const Clock& clock = system_clock(), Ids& ids = process_ids());

/// The numbered migrations of this outbox as one readable script.
Result<std::string> migration_script(std::string_view outbox);
/// As of the registry.
Result<SagaTablesState> saga_tables_state(std::string_view path, std::string_view log);
/// The same for a log of sagas, with the tables beside it.
Result<std::string> saga_migration_script(std::string_view log);
/// The same for the tables of its sources, which come on top of those of the outbox.
Result<std::string> source_migration_script(std::string_view outbox);
/// Drops the outbox's tables. Refused while messages in it have not been delivered, unless `even_if_pending`.
Result<> migrate_down(std::string_view path, std::string_view outbox, bool even_if_pending);
/// Whether this file is a copy that has not been adopted (nothing is sent from it), and what that is judged by. Changes
/// nothing.
Result<OriginReport> examine_origin(std::string_view path, const std::string& environment);
/// Accepts that this file is a copy: from now on it is the real one, in this environment.
Result<> adopt(std::string_view path, const std::string& environment = {});
/// Takes the write lock of the file and gives it back at once. Errc::store_unavailable: somebody else keeps it.
Result<> try_write_lock(std::string_view path);
/// What an operator should know of the SQLite library in use; empty when there is nothing.
std::string version_warning();

/// Idempotency keys and the inbox, with a connection of their own to the file at `path`. Creates the file, not the
/// tables.
Result<std::unique_ptr<IdempotencyStore>> open_idempotency_store(std::string_view path,
                                                                 const Clock& clock = system_clock(),
                                                                 Ids& ids = process_ids(),
                                                                 const ResultStorage& storage = {});
/// The numbered migrations of their tables as one readable script.
std::string key_migration_script();
/// Drops their tables.
Result<> migrate_keys_down(std::string_view path);

}  // namespace makegood::sqlite
