// A store in memory: for tests, for the simulator and for trying things out. Nothing survives the process.
#pragma once

#include <memory>
#include <string>

#include "makegood/clock.hpp"
#include "makegood/id.hpp"
#include "makegood/spi/outbox_view.hpp"
#include "makegood/spi/saga_store.hpp"

namespace makegood::memory {

/// The one copy of the data; connections share it. Thread-safe. See database.hpp for snapshots of it.
class Database;

std::shared_ptr<Database> new_database(Ids& ids = process_ids());
/// `environment` names where this process runs; empty: nowhere in particular.
std::unique_ptr<OutboxStore> open_store(std::shared_ptr<Database> database, const Clock& clock,
                                        std::string environment = {});
std::unique_ptr<OutboxView> open_outbox_view(std::shared_ptr<Database> database, const Clock& clock);

/// The sagas beside the one outbox of the database, which is where executions tell of their end.
std::unique_ptr<SagaStore> open_saga_store(std::shared_ptr<Database> database, const Clock& clock,
                                           std::string environment = {});
std::unique_ptr<SagaView> open_saga_view(std::shared_ptr<Database> database, const Clock& clock);

/// A producer's transaction: it draws numbers when it enqueues, and others may draw and commit before it does.
class Transaction {
 public:
  virtual ~Transaction() = default;  ///< Rolls back unless committed. The numbers it drew stay unused.
  /// Errc::conflict as for a store; Errc::store_unavailable when an open transaction is enqueueing the same event.
  virtual Result<Enqueued> enqueue(const NewMessage& message) = 0;
  /// Errc::not_in_transaction when the database has been restored since: then nothing was written.
  virtual Result<> commit() = 0;
};
std::unique_ptr<Transaction> begin(std::shared_ptr<Database> database, const Clock& clock);
/// The same, in which a start is enqueued to the log of the sagas.
std::unique_ptr<Transaction> begin_start(std::shared_ptr<Database> database, const Clock& clock);

}  // namespace makegood::memory
