// From a URL to a store, and the shortest way to a running relay.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "makegood/dead_letters.hpp"
#include "makegood/dispatcher.hpp"
#include "makegood/handlers.hpp"
#include "makegood/nodes.hpp"
#include "makegood/outbox_view.hpp"

namespace makegood {

/// `sqlite:PATH`, `postgres://…` as libpq takes it, or `memory:`. The store is migrated before it is handed out, unless
/// `migrate` is false.
Result<std::unique_ptr<OutboxStore>> open_store(std::string_view url, std::string_view outbox, bool migrate = true);
Result<std::unique_ptr<DeadLetterStore>> open_dead_letters(std::string_view url, std::string_view outbox);
Result<std::unique_ptr<OutboxView>> open_outbox_view(std::string_view url, std::string_view outbox);
/// Who shares the outboxes in the schema of this one; null on a store whose lanes all belong to one machine.
Result<std::unique_ptr<Nodes>> open_nodes(std::string_view url, std::string_view outbox);

/// The tables of an outbox on this kind of store, as a script to read or to hand to another tool.
Result<std::string> migration_script(std::string_view url, std::string_view outbox);
/// Drops the tables of an outbox. Refused while undelivered messages are in it, unless `even_if_pending`.
Result<> migrate_down(std::string_view url, std::string_view outbox, bool even_if_pending);
/// Accepts that this store is a copy: from now on it is the real one and its messages are sent. On PostgreSQL those of
/// all outboxes in the schema of this one.
Result<> adopt(std::string_view url, std::string_view outbox = "makegood_outbox");

/// A dispatcher on this store with these handlers as destinations and routes. `handlers` must outlive it.
Result<Dispatcher> open_dispatcher(std::string_view url, Handlers& handlers, DispatcherOptions options = {},
                                   Observer* observer = nullptr);
/// The same with any transports: `new_http_transport()`, `handlers.transport()`. They must outlive it.
Result<Dispatcher> open_dispatcher(std::string_view url, std::vector<Transport*> transports, DispatcherOptions options,
                                   Observer* observer = nullptr);

}  // namespace makegood
