// makegood migrate: the tables of the outboxes, up, down or on paper.
#include <fmt/format.h>

#include <memory>

#include "cli/verbs.hpp"
#include "makegood/spi/idempotency_store.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood::cli {
namespace {

struct Migration {
  bool prints = false;
  bool goes_down = false;
  bool even_if_pending = false;
  bool is_confirmed = false;
  bool is_of_keys = false;
};

Result<> migrate_sagas(const config::StoreConfig& store, const std::string& log, const Migration& migration) {
  if (migration.prints) {
    fmt::print("{}", MAKEGOOD_TRY(saga_migration_script(store.url, log)));
    return {};
  }
  if (migration.goes_down) {
    MAKEGOOD_TRY(migrate_down(store.url, log, migration.even_if_pending));
    fmt::print("{}: the tables are gone\n", log);
    return {};
  }
  MAKEGOOD_TRY(open_saga_store(store.url, {.log = log, .outbox = store.outboxes.front()}));
  fmt::print("{}: the tables of the sagas are up to date\n", log);
  return {};
}

/// Idempotency keys and the inbox have tables of their own, whatever outboxes there are.
Result<> migrate_keys(const config::StoreConfig& store, const Migration& migration) {
  const std::string schema = schema_of_keys(store);
  if (migration.prints) {
    fmt::print("{}", MAKEGOOD_TRY(idempotency_migration_script(store.url, schema)));
    return {};
  }
  if (migration.goes_down) {
    MAKEGOOD_TRY(migrate_idempotency_down(store.url, schema));
    fmt::print("idempotency: the tables are gone\n");
    return {};
  }
  MAKEGOOD_TRY(open_idempotency_store(store.url, schema));
  fmt::print("idempotency: the tables are up to date\n");
  return {};
}

Result<> migrate_one(const config::StoreConfig& store, const std::string& outbox, const Migration& migration) {
  if (migration.prints) {
    fmt::print("{}", MAKEGOOD_TRY(migration_script(store.url, outbox)));
    return {};
  }
  if (migration.goes_down) {
    MAKEGOOD_TRY(migrate_down(store.url, outbox, migration.even_if_pending));
    fmt::print("{}: the tables are gone\n", outbox);
    return {};
  }
  MAKEGOOD_TRY(open_store(store.url, outbox));
  fmt::print("{}: the tables are up to date\n", outbox);
  return {};
}

Result<> migrate(const Program& program, const Migration& migration) {
  const config::Config config = MAKEGOOD_TRY(load_config(program));
  if (migration.goes_down && !migration.is_confirmed) {
    return Error{Errc::invalid, "This drops the tables with everything in them; add --yes if you mean it."};
  }
  if (migration.is_of_keys) return migrate_keys(config.store, migration);
  for (const std::string& outbox : config.store.outboxes) MAKEGOOD_TRY(migrate_one(config.store, outbox, migration));
  for (const std::string& log : program.saga_logs) MAKEGOOD_TRY(migrate_sagas(config.store, log, migration));
  return {};
}

}  // namespace

void add_migrate(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("migrate", "Create or upgrade the tables of the outboxes");
  add_store_flags(verb, program);
  add_outboxes_option(verb, program);
  const auto migration = std::make_shared<Migration>();
  CLI::Option* print = verb.add_flag("--print", migration->prints, "Print the SQL and change nothing");
  CLI::Option* down = verb.add_flag("--down", migration->goes_down, "Drop the tables; needs --yes");
  verb.add_flag("--even-if-pending", migration->even_if_pending, "Drop them even with undelivered messages")
      ->needs(down);
  verb.add_flag("--yes", migration->is_confirmed, "Yes, drop them")->needs(down);
  print->excludes(down);
  verb.add_flag("--idempotency", migration->is_of_keys,
                "Those of idempotency keys and of the inbox instead, which no outbox needs");
  add_migrate_check(verb, program);
  add_migrate_export(verb, program);
  add_migrate_grants(verb, program);
  run(verb, program, [&program, &verb, migration]() -> Result<> {
    // The command line runs a verb after its parts, too.
    if (!verb.get_subcommands().empty()) return {};
    return migrate(program, *migration);
  });
}

}  // namespace makegood::cli
