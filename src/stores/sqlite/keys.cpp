// Idempotency keys and the inbox over a connection of their own.
#include "stores/sqlite/keys.hpp"
#include "makegood_store_sqlite_sql.hpp"
#include "stores/sql/key_store.hpp"
#include "stores/sqlite/checkpointer.hpp"
#include "stores/sqlite/key_migrations.hpp"
#include "stores/sqlite/sqlite.hpp"

namespace makegood::sqlite {

const relational::KeyStatements& key_statements() {
  static constexpr relational::KeyStatements statements = relational::key_statements_in<sql>();
  return statements;
}

Result<std::unique_ptr<IdempotencyStore>> open_idempotency_store(std::string_view path, const Clock& clock, Ids& ids,
                                                                 const ResultStorage& storage) {
  const Identifier series = MAKEGOOD_TRY(Identifier::from(key_series));
  auto connection = std::make_unique<Connection>(MAKEGOOD_TRY(Connection::open(path, series)));
  Connection& opened = *connection;
  // The store keeps it as part of its function, which is gone before the connection.
  auto checkpointer = std::make_shared<Checkpointer>(opened.handle());
  const relational::KeyTable::World world{.clock = &clock, .ids = &ids, .storage = storage};
  return std::unique_ptr<IdempotencyStore>(std::make_unique<relational::KeyStore>(
      std::move(connection), key_statements(), world, [&opened, checkpointer] { return migrate_keys(opened); }));
}

}  // namespace makegood::sqlite
