// The one place that knows the list of stores.
#include "makegood/spi/registry.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "base/masked_url.hpp"
#include "base/nearest.hpp"
#include "makegood/id.hpp"
#include "makegood/spi/idempotency_store.hpp"
#include "makegood/spi/source_store.hpp"
#include "stores/memory/memory.hpp"
#ifdef MAKEGOOD_HAS_POSTGRES
#include "stores/postgres/postgres.hpp"
#endif
#ifdef MAKEGOOD_HAS_SQLITE
#include "stores/sqlite/sqlite.hpp"
#endif

namespace makegood {
namespace {

std::shared_ptr<memory::Database> process_database() {
  static const std::shared_ptr<memory::Database> database = memory::new_database();
  return database;
}

struct StoreEntry {
  std::string_view scheme;
  Result<std::unique_ptr<OutboxStore>> (*open)(std::string_view address, std::string_view outbox,
                                               const std::string& environment);
  Result<std::unique_ptr<OutboxView>> (*open_outbox_view)(std::string_view address, std::string_view outbox);
  Result<std::unique_ptr<SagaStore>> (*open_saga_store)(std::string_view address, const SagaStoreOptions& options);
  Result<std::unique_ptr<SagaView>> (*open_saga_view)(std::string_view address, const SagaStoreOptions& options);
  Result<SagaTablesState> (*saga_tables_state)(std::string_view address, std::string_view log);
  Result<std::string> (*migration_script)(std::string_view outbox);
  Result<std::string> (*saga_migration_script)(std::string_view log);
  Result<> (*migrate_down)(std::string_view address, std::string_view outbox, bool even_if_pending);
  Result<> (*adopt)(std::string_view address, std::string_view outbox, const std::string& environment);
  /// Null: there is nothing to share.
  Result<std::unique_ptr<Nodes>> (*open_nodes)(std::string_view address, std::string_view outbox) = nullptr;
  /// Null: it has no idempotency keys.
  Result<std::unique_ptr<IdempotencyStore>> (*open_idempotency)(std::string_view address, std::string_view schema,
                                                                const ResultStorage& storage) = nullptr;
  Result<std::string> (*idempotency_script)(std::string_view schema) = nullptr;
  Result<> (*idempotency_down)(std::string_view address, std::string_view schema) = nullptr;
  /// Null: it takes nothing in from brokers.
  Result<std::unique_ptr<SourceStore>> (*open_source_store)(std::string_view address,
                                                            std::string_view outbox) = nullptr;
  Result<std::string> (*source_script)(std::string_view outbox) = nullptr;
};

#ifdef MAKEGOOD_HAS_POSTGRES
std::string libpq_url(std::string_view address) { return fmt::format("postgresql:{}", address); }

/// libpq takes both schemes for the same, and everything after them is its business.
constexpr StoreEntry postgres_under(std::string_view scheme) {
  return {
      .scheme = scheme,
      .open =
          [](std::string_view address, std::string_view outbox, const std::string& environment) {
            return postgres::open_store(libpq_url(address), outbox, {.environment = environment});
          },
      .open_outbox_view =
          [](std::string_view address, std::string_view outbox) {
            return postgres::open_outbox_view(libpq_url(address), outbox);
          },
      .open_saga_store =
          [](std::string_view address, const SagaStoreOptions& options) {
            return postgres::open_saga_store(libpq_url(address), options);
          },
      .open_saga_view =
          [](std::string_view address, const SagaStoreOptions& options) {
            return postgres::open_saga_view(libpq_url(address), options);
          },
      .saga_tables_state = [](std::string_view address,
                              std::string_view log) { return postgres::saga_tables_state(libpq_url(address), log); },
      .migration_script = postgres::migration_script,
      .saga_migration_script = postgres::saga_migration_script,
      .migrate_down =
          [](std::string_view address, std::string_view outbox, bool even_if_pending) {
            return postgres::migrate_down(libpq_url(address), outbox, even_if_pending);
          },
      .adopt = [](std::string_view address, std::string_view outbox,
                  const std::string& environment) { return postgres::adopt(libpq_url(address), outbox, environment); },
      .open_nodes = [](std::string_view address,
                       std::string_view outbox) { return postgres::open_nodes(libpq_url(address), outbox); },
      .open_idempotency =
          [](std::string_view address, std::string_view schema, const ResultStorage& storage) {
            return postgres::open_idempotency_store(libpq_url(address), schema, {}, storage);
          },
      .idempotency_script = postgres::key_migration_script,
      .idempotency_down =
          [](std::string_view address, std::string_view schema) {
            return postgres::migrate_keys_down(libpq_url(address), schema);
          },
      .open_source_store =
          [](std::string_view address, std::string_view outbox) {
            return postgres::open_source_store(libpq_url(address), outbox);
          },
      .source_script = postgres::source_migration_script,
  };
}
#endif

constexpr std::array stores = {
#ifdef MAKEGOOD_HAS_SQLITE
    StoreEntry{
        .scheme = "sqlite",
        .open =
            [](std::string_view path, std::string_view outbox, const std::string& environment) {
              return sqlite::open_store(path, outbox, system_clock(), process_ids(), environment);
            },
        .open_outbox_view = [](std::string_view path,
                               std::string_view outbox) { return sqlite::open_outbox_view(path, outbox); },
        .open_saga_store = [](std::string_view path,
                              const SagaStoreOptions& options) { return sqlite::open_saga_store(path, options); },
        .open_saga_view = [](std::string_view path,
                             const SagaStoreOptions& options) { return sqlite::open_saga_view(path, options); },
        .saga_tables_state = sqlite::saga_tables_state,
        .migration_script = sqlite::migration_script,
        .saga_migration_script = sqlite::saga_migration_script,
        .migrate_down = sqlite::migrate_down,
        .adopt = [](std::string_view path, std::string_view,
                    const std::string& environment) { return sqlite::adopt(path, environment); },
        .open_idempotency =
            [](std::string_view path, std::string_view, const ResultStorage& storage) {
              return sqlite::open_idempotency_store(path, system_clock(), process_ids(), storage);
            },
        .idempotency_script = [](std::string_view) -> Result<std::string> { return sqlite::key_migration_script(); },
        .idempotency_down = [](std::string_view path, std::string_view) { return sqlite::migrate_keys_down(path); },
        .open_source_store = [](std::string_view path,
                                std::string_view outbox) { return sqlite::open_source_store(path, outbox); },
        .source_script = sqlite::source_migration_script,
    },
#endif
#ifdef MAKEGOOD_HAS_POSTGRES
    postgres_under("postgres"),
    postgres_under("postgresql"),
#endif
    StoreEntry{
        .scheme = "memory",
        .open = [](std::string_view, std::string_view,
                   const std::string& environment) -> Result<std::unique_ptr<OutboxStore>> {
          return memory::open_store(process_database(), system_clock(), environment);
        },
        .open_outbox_view = [](std::string_view, std::string_view) -> Result<std::unique_ptr<OutboxView>> {
          return memory::open_outbox_view(process_database(), system_clock());
        },
        .open_saga_store = [](std::string_view, const SagaStoreOptions& options) -> Result<std::unique_ptr<SagaStore>> {
          return memory::open_saga_store(process_database(), system_clock(), options.environment);
        },
        .open_saga_view = [](std::string_view, const SagaStoreOptions&) -> Result<std::unique_ptr<SagaView>> {
          return memory::open_saga_view(process_database(), system_clock());
        },
        .saga_tables_state = [](std::string_view, std::string_view) -> Result<SagaTablesState> {
          return SagaTablesState::current;
        },
        .migration_script = [](std::string_view) -> Result<std::string> { return std::string(); },
        .saga_migration_script = [](std::string_view) -> Result<std::string> { return std::string(); },
        .migrate_down = [](std::string_view, std::string_view, bool) -> Result<> { return {}; },
        .adopt = [](std::string_view, std::string_view, const std::string&) -> Result<> { return {}; },
    },
};

/// What a build may have left out.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> options_of_stores = {{
    {"sqlite", "MAKEGOOD_STORE_SQLITE"},
    {"postgres", "MAKEGOOD_STORE_POSTGRES"},
    {"postgresql", "MAKEGOOD_STORE_POSTGRES"},
}};

struct Place {
  const StoreEntry& store;
  std::string_view address;
};

Error no_store(std::string_view url, std::string_view scheme) {
  for (const auto& [known, option] : options_of_stores) {
    if (known == scheme && url.size() > scheme.size()) {
      return {
          Errc::invalid,
          fmt::format("This library was built without the store for {}: URLs; build it with -D{}=ON.", scheme, option)};
    }
  }
  std::vector<std::string> known;
  for (const StoreEntry& store : stores) known.emplace_back(store.scheme);
  const std::string meant = nearest(scheme, known);
  return {Errc::invalid,
          fmt::format("There is no store for the URL '{}'; {}use sqlite:PATH, postgres://… or memory:.",
                      masked_url(url), meant.empty() ? "" : fmt::format("did you mean {}:? Otherwise ", meant))};
}

Result<Place> find_store(std::string_view url) {
  const std::size_t colon = url.find(':');
  const std::string_view scheme = url.substr(0, colon);
  for (const StoreEntry& store : stores) {
    if (colon != std::string_view::npos && store.scheme == scheme) return Place{store, url.substr(colon + 1)};
  }
  return no_store(url, scheme);
}

Result<Place> find_store_of_keys(std::string_view url) {
  const Place place = MAKEGOOD_TRY(find_store(url));
  if (place.store.open_idempotency != nullptr) return place;
  return Error{Errc::invalid, "This store has no idempotency keys; use sqlite:PATH or postgres://…."};
}

Result<Place> find_store_of_sources(std::string_view url) {
  const Place place = MAKEGOOD_TRY(find_store(url));
  if (place.store.open_source_store != nullptr) return place;
  return Error{Errc::invalid, "This store takes nothing in from brokers; use sqlite:PATH or postgres://…."};
}

}  // namespace

Result<std::unique_ptr<OutboxStore>> open_store(std::string_view url, std::string_view outbox, bool migrate,
                                                const std::string& environment) {
  const Place place = MAKEGOOD_TRY(find_store(url));
  auto store = MAKEGOOD_TRY(place.store.open(place.address, outbox, environment));
  if (migrate) MAKEGOOD_TRY(store->migrate());
  return store;
}

Result<std::unique_ptr<OutboxView>> open_outbox_view(std::string_view url, std::string_view outbox) {
  const Place place = MAKEGOOD_TRY(find_store(url));
  return place.store.open_outbox_view(place.address, outbox);
}

Result<std::unique_ptr<SagaStore>> open_saga_store(std::string_view url, const SagaStoreOptions& options,
                                                   bool migrate) {
  const Place place = MAKEGOOD_TRY(find_store(url));
  auto store = MAKEGOOD_TRY(place.store.open_saga_store(place.address, options));
  if (migrate) MAKEGOOD_TRY(store->migrate());
  return store;
}

Result<std::unique_ptr<SagaView>> open_saga_view(std::string_view url, const SagaStoreOptions& options) {
  const Place place = MAKEGOOD_TRY(find_store(url));
  return place.store.open_saga_view(place.address, options);
}

Result<SagaTablesState> saga_tables_state(std::string_view url, const std::string& log) {
  const Place place = MAKEGOOD_TRY(find_store(url));
  auto state = place.store.saga_tables_state(place.address, log);
  if (!state && state.error().code == Errc::not_found) return SagaTablesState::missing;
  return state;
}

Result<std::unique_ptr<Nodes>> open_nodes(std::string_view url, std::string_view outbox) {
  const Place place = MAKEGOOD_TRY(find_store(url));
  if (place.store.open_nodes == nullptr) return std::unique_ptr<Nodes>();
  return place.store.open_nodes(place.address, outbox);
}

Result<std::unique_ptr<IdempotencyStore>> open_idempotency_store(std::string_view url, std::string_view schema,
                                                                 bool migrate, const ResultStorage& storage) {
  const Place place = MAKEGOOD_TRY(find_store_of_keys(url));
  auto store = MAKEGOOD_TRY(place.store.open_idempotency(place.address, schema, storage));
  if (migrate) MAKEGOOD_TRY(store->migrate());
  return store;
}

Result<std::string> idempotency_migration_script(std::string_view url, std::string_view schema) {
  return MAKEGOOD_TRY(find_store_of_keys(url)).store.idempotency_script(schema);
}

Result<> migrate_idempotency_down(std::string_view url, std::string_view schema) {
  const Place place = MAKEGOOD_TRY(find_store_of_keys(url));
  return place.store.idempotency_down(place.address, schema);
}

Result<std::unique_ptr<SourceStore>> open_source_store(std::string_view url, std::string_view outbox, bool migrate) {
  const Place place = MAKEGOOD_TRY(find_store_of_sources(url));
  auto store = MAKEGOOD_TRY(place.store.open_source_store(place.address, outbox));
  if (migrate) MAKEGOOD_TRY(store->migrate());
  return store;
}

Result<std::string> source_migration_script(std::string_view url, std::string_view outbox) {
  return MAKEGOOD_TRY(find_store_of_sources(url)).store.source_script(outbox);
}

Result<std::string> migration_script(std::string_view url, std::string_view outbox) {
  return MAKEGOOD_TRY(find_store(url)).store.migration_script(outbox);
}

Result<std::string> saga_migration_script(std::string_view url, std::string_view log) {
  return MAKEGOOD_TRY(find_store(url)).store.saga_migration_script(log);
}

Result<> migrate_down(std::string_view url, std::string_view outbox, bool even_if_pending) {
  const Place place = MAKEGOOD_TRY(find_store(url));
  return place.store.migrate_down(place.address, outbox, even_if_pending);
}

Result<> adopt(std::string_view url, std::string_view outbox, const std::string& environment) {
  const Place place = MAKEGOOD_TRY(find_store(url));
  return place.store.adopt(place.address, outbox, environment);
}

Result<> reset(std::string_view url, std::string_view outbox) {
  constexpr Duration lease = std::chrono::seconds(10);
  const auto store = MAKEGOOD_TRY(open_store(url, outbox, false));
  const Owner owner = process_ids().new_ulid();
  const auto taken = MAKEGOOD_TRY(store->take(owner, lease, {}));
  if (!taken) {
    return Error{Errc::conflict,
                 fmt::format("Somebody owns {}; stop the relay, then reset. Nothing was deleted.", outbox)};
  }
  const Found found = MAKEGOOD_TRY(store->look({.owner = owner, .after = taken->turn}));
  Turn turn{.owner = owner, .after = taken->turn, .position = {.reached = found.counter}};
  // A number from before that appears later stops the lane, instead of being taken for delivered.
  turn.mark = {.counter = found.counter, .cleaned = found.counter};
  turn.is_reset = true;
  MAKEGOOD_TRY(store->commit(turn));
  return {};
}

}  // namespace makegood
