// From a URL to a store, and what is done to a store as a whole.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "makegood/spi/nodes.hpp"
#include "makegood/spi/outbox_view.hpp"
#include "makegood/spi/saga_store.hpp"

namespace makegood {

/// `sqlite:PATH`, `postgres://…` as libpq takes it, or `memory:`. The store is migrated before it is handed out, unless
/// `migrate` is false. `environment` as in DispatcherOptions.
Result<std::unique_ptr<OutboxStore>> open_store(std::string_view url, std::string_view outbox, bool migrate = true,
                                                const std::string& environment = {});
Result<std::unique_ptr<OutboxView>> open_outbox_view(std::string_view url, std::string_view outbox);
/// Who shares the outboxes in the schema of this one; null on a store whose lanes all belong to one machine.
Result<std::unique_ptr<Nodes>> open_nodes(std::string_view url, std::string_view outbox);

/// As open_store. Both outboxes are migrated, and the tables of the sagas.
Result<std::unique_ptr<SagaStore>> open_saga_store(std::string_view url, const SagaStoreOptions& options = {},
                                                   bool migrate = true);
/// Creates nothing: Errc::schema_mismatch without tables of this version.
Result<std::unique_ptr<SagaView>> open_saga_view(std::string_view url, const SagaStoreOptions& options = {});

/// Whether a store has tables of sagas, and of which version. Without a store there are none.
Result<SagaTablesState> saga_tables_state(std::string_view url, const std::string& log = "makegood_saga");

/// The tables of an outbox on this kind of store, as a script to read or to hand to another tool.
Result<std::string> migration_script(std::string_view url, std::string_view outbox);
/// The same for a log of sagas, with the tables beside it.
Result<std::string> saga_migration_script(std::string_view url, std::string_view log);
/// Drops the tables of an outbox, also those of sagas beside it. Refused while undelivered messages are in it, unless
/// `even_if_pending`.
Result<> migrate_down(std::string_view url, std::string_view outbox, bool even_if_pending);
/// Accepts that this store is a copy: from now on it is the real one and its messages are sent. On PostgreSQL those of
/// all outboxes in the schema of this one. `environment` as in DispatcherOptions.
Result<> adopt(std::string_view url, std::string_view outbox = "makegood_outbox", const std::string& environment = {});

/// Deletes all messages of an outbox with everything that is known of them, for test fixtures. Refused with
/// Errc::conflict while somebody owns the outbox. Destinations and routes stay, and numbers go on from where they were.
Result<> reset(std::string_view url, std::string_view outbox);

}  // namespace makegood
