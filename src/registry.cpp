// The one place that knows the list of stores.
#include "makegood/registry.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "base/masked_url.hpp"
#include "stores/memory/memory.hpp"
#include "stores/postgres/postgres.hpp"
#include "stores/sqlite/sqlite.hpp"

namespace makegood {
namespace {

std::shared_ptr<memory::Database> process_database() {
  static const std::shared_ptr<memory::Database> database = memory::new_database();
  return database;
}

std::string libpq_url(std::string_view address) { return fmt::format("postgresql:{}", address); }

struct StoreEntry {
  std::string_view scheme;
  Result<std::unique_ptr<OutboxStore>> (*open)(std::string_view address, std::string_view outbox);
  Result<std::unique_ptr<DeadLetterStore>> (*open_dead_letters)(std::string_view address, std::string_view outbox);
  Result<std::unique_ptr<OutboxView>> (*open_outbox_view)(std::string_view address, std::string_view outbox);
  Result<std::string> (*migration_script)(std::string_view outbox);
  Result<> (*migrate_down)(std::string_view address, std::string_view outbox, bool even_if_pending);
  Result<> (*adopt)(std::string_view address, std::string_view outbox);
  /// Null: there is nothing to share.
  Result<std::unique_ptr<Nodes>> (*open_nodes)(std::string_view address, std::string_view outbox) = nullptr;
};

/// libpq takes both schemes for the same, and everything after them is its business.
constexpr StoreEntry postgres_under(std::string_view scheme) {
  return {
      .scheme = scheme,
      .open = [](std::string_view address,
                 std::string_view outbox) { return postgres::open_store(libpq_url(address), outbox); },
      .open_dead_letters =
          [](std::string_view address, std::string_view outbox) {
            return postgres::open_dead_letters(libpq_url(address), outbox);
          },
      .open_outbox_view =
          [](std::string_view address, std::string_view outbox) {
            return postgres::open_outbox_view(libpq_url(address), outbox);
          },
      .migration_script = postgres::migration_script,
      .migrate_down =
          [](std::string_view address, std::string_view outbox, bool even_if_pending) {
            return postgres::migrate_down(libpq_url(address), outbox, even_if_pending);
          },
      .adopt = [](std::string_view address,
                  std::string_view outbox) { return postgres::adopt(libpq_url(address), outbox); },
      .open_nodes = [](std::string_view address,
                       std::string_view outbox) { return postgres::open_nodes(libpq_url(address), outbox); },
  };
}

constexpr std::array stores = {
    StoreEntry{
        .scheme = "sqlite",
        .open = [](std::string_view path,
                   std::string_view outbox) { return sqlite::open_store(path, outbox, system_clock()); },
        .open_dead_letters =
            [](std::string_view path, std::string_view outbox) {
              return sqlite::open_dead_letters(path, outbox, system_clock());
            },
        .open_outbox_view = sqlite::open_outbox_view,
        .migration_script = sqlite::migration_script,
        .migrate_down = sqlite::migrate_down,
        .adopt = [](std::string_view path, std::string_view) { return sqlite::adopt(path); },
    },
    postgres_under("postgres"),
    postgres_under("postgresql"),
    StoreEntry{
        .scheme = "memory",
        .open = [](std::string_view, std::string_view) -> Result<std::unique_ptr<OutboxStore>> {
          return memory::open_store(process_database(), system_clock());
        },
        .open_dead_letters = [](std::string_view, std::string_view) -> Result<std::unique_ptr<DeadLetterStore>> {
          return memory::open_dead_letters(process_database(), system_clock());
        },
        .open_outbox_view = [](std::string_view, std::string_view) -> Result<std::unique_ptr<OutboxView>> {
          return memory::open_outbox_view(process_database());
        },
        .migration_script = [](std::string_view) -> Result<std::string> { return std::string(); },
        .migrate_down = [](std::string_view, std::string_view, bool) -> Result<> { return {}; },
        .adopt = [](std::string_view, std::string_view) -> Result<> { return {}; },
    },
};

struct Place {
  const StoreEntry& store;
  std::string_view address;
};

Result<Place> find_store(std::string_view url) {
  const std::size_t colon = url.find(':');
  const std::string_view scheme = url.substr(0, colon);
  for (const StoreEntry& store : stores) {
    if (colon != std::string_view::npos && store.scheme == scheme) return Place{store, url.substr(colon + 1)};
  }
  return Error{
      Errc::invalid,
      fmt::format("There is no store for the URL '{}'; use sqlite:PATH, postgres://… or memory:.", masked_url(url))};
}

}  // namespace

Result<std::unique_ptr<OutboxStore>> open_store(std::string_view url, std::string_view outbox, bool migrate) {
  const Place place = MAKEGOOD_TRY(find_store(url));
  auto store = MAKEGOOD_TRY(place.store.open(place.address, outbox));
  if (migrate) MAKEGOOD_TRY(store->migrate());
  return store;
}

Result<std::unique_ptr<DeadLetterStore>> open_dead_letters(std::string_view url, std::string_view outbox) {
  const Place place = MAKEGOOD_TRY(find_store(url));
  return place.store.open_dead_letters(place.address, outbox);
}

Result<std::unique_ptr<OutboxView>> open_outbox_view(std::string_view url, std::string_view outbox) {
  const Place place = MAKEGOOD_TRY(find_store(url));
  return place.store.open_outbox_view(place.address, outbox);
}

Result<std::unique_ptr<Nodes>> open_nodes(std::string_view url, std::string_view outbox) {
  const Place place = MAKEGOOD_TRY(find_store(url));
  if (place.store.open_nodes == nullptr) return std::unique_ptr<Nodes>();
  return place.store.open_nodes(place.address, outbox);
}

Result<std::string> migration_script(std::string_view url, std::string_view outbox) {
  return MAKEGOOD_TRY(find_store(url)).store.migration_script(outbox);
}

Result<> migrate_down(std::string_view url, std::string_view outbox, bool even_if_pending) {
  const Place place = MAKEGOOD_TRY(find_store(url));
  return place.store.migrate_down(place.address, outbox, even_if_pending);
}

Result<> adopt(std::string_view url, std::string_view outbox) {
  const Place place = MAKEGOOD_TRY(find_store(url));
  return place.store.adopt(place.address, outbox);
}

Result<Dispatcher> open_dispatcher(std::string_view url, Handlers& handlers, DispatcherOptions options,
                                   Observer* observer) {
  for (Destination& destination : handlers.destinations()) options.destinations.push_back(std::move(destination));
  for (Route& route : handlers.routes()) options.routes.push_back(std::move(route));
  return open_dispatcher(url, {&handlers.transport()}, std::move(options), observer);
}

Result<Dispatcher> open_dispatcher(std::string_view url, std::vector<Transport*> transports, DispatcherOptions options,
                                   Observer* observer) {
  auto store = MAKEGOOD_TRY(open_store(url, options.outbox));
  return Dispatcher(std::move(store), std::move(transports), std::move(options), observer);
}

}  // namespace makegood
