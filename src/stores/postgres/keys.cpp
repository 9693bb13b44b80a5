// Idempotency keys and the inbox over a connection of their own.
#include "stores/postgres/keys.hpp"

#include <fmt/format.h>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/key_migrations.hpp"
#include "stores/postgres/postgres.hpp"
#include "stores/sql/key_store.hpp"

namespace makegood::postgres {

const relational::KeyStatements& key_statements() {
  static constexpr relational::KeyStatements statements = relational::key_statements_in<sql>();
  return statements;
}

Result<Identifier> key_series_in(std::string_view schema) {
  constexpr std::string_view series = "makegood_idempotency";
  return Identifier::from(schema.empty() ? std::string(series) : fmt::format("{}.{}", quoted(schema), series));
}

Result<std::unique_ptr<IdempotencyStore>> open_idempotency_store(std::string_view url, std::string_view schema,
                                                                 const StoreWorld& world,
                                                                 const ResultStorage& storage) {
  const Identifier series = MAKEGOOD_TRY(key_series_in(schema));
  auto connection =
      std::make_unique<Connection>(MAKEGOOD_TRY(Connection::open(std::string(url), series, sql::key_session_settings)));
  Connection& opened = *connection;
  const relational::KeyTable::World keys{.clock = world.instead, .ids = world.ids, .storage = storage};
  return std::unique_ptr<IdempotencyStore>(std::make_unique<relational::KeyStore>(
      std::move(connection), key_statements(), keys, [&opened] { return migrate_keys(opened); }));
}

}  // namespace makegood::postgres
