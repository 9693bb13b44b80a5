// What comes from brokers, over a connection of its own.
#include "stores/sql/sources.hpp"
#include "makegood/spi/source_store.hpp"
#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/connection.hpp"
#include "stores/postgres/message_writer.hpp"
#include "stores/postgres/migrate.hpp"
#include "stores/postgres/postgres.hpp"

namespace makegood::postgres {
namespace {

constexpr relational::SourceStatements source_statements = relational::source_statements_in<sql>();

}  // namespace

Result<std::unique_ptr<SourceStore>> open_source_store(std::string_view url, std::string_view outbox,
                                                       const StoreWorld& world) {
  const Identifier name = MAKEGOOD_TRY(Identifier::from(outbox));
  auto connection =
      std::make_unique<Connection>(MAKEGOOD_TRY(Connection::open(std::string(url), name, sql::session_settings)));
  MAKEGOOD_TRY(check_version(*connection));
  Connection& opened = *connection;
  const auto append = [&opened, world](std::span<const NewMessage> messages) -> Result<std::vector<Enqueued>> {
    const auto run = [&opened](std::string_view sql, const Parameters& values) -> Result<Rows> {
      const Step step{sql, values};
      auto rows = MAKEGOOD_TRY(opened.run(std::span(&step, 1)));
      return std::move(rows.front());
    };
    MessageWriter writer(run,
                         {.rules = {.content_bytes_max = content_bytes_highest, .may_tell = true}, .ids = world.ids});
    std::optional<TimePoint> now;
    if (world.instead != nullptr) now = world.instead->now();
    return writer.write(messages, now);
  };
  return std::unique_ptr<SourceStore>(std::make_unique<relational::Sources>(
      std::move(connection), source_statements, world.instead, append, [&opened] { return migrate_sources(opened); }));
}

}  // namespace makegood::postgres
