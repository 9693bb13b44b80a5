// What comes from brokers, over a connection of its own.
#include "stores/sql/sources.hpp"
#include "makegood/spi/source_store.hpp"
#include "makegood_store_sqlite_sql.hpp"
#include "stores/sqlite/checkpointer.hpp"
#include "stores/sqlite/message_writer.hpp"
#include "stores/sqlite/migrate.hpp"
#include "stores/sqlite/sqlite.hpp"

namespace makegood::sqlite {
namespace {

constexpr relational::SourceStatements source_statements = relational::source_statements_in<sql>();

}  // namespace

Result<std::unique_ptr<SourceStore>> open_source_store(std::string_view path, std::string_view outbox,
                                                       const Clock& clock, Ids& ids) {
  const Identifier name = MAKEGOOD_TRY(Identifier::from(outbox));
  auto connection = std::make_unique<Connection>(MAKEGOOD_TRY(Connection::open_existing(path, name)));
  MAKEGOOD_TRY(check_version(*connection));
  MAKEGOOD_TRY(connection->use_write_ahead_log());
  Connection& opened = *connection;
  const EnqueueOptions rules{.outbox = name.name(), .content_bytes_max = content_bytes_highest};
  const auto writer =
      std::make_shared<MessageWriter>(MAKEGOOD_TRY(MessageWriter::open(opened.handle(), rules, clock, ids)));
  // The store keeps both as parts of its functions, which are gone before the connection.
  const auto checkpointer = std::make_shared<Checkpointer>(opened.handle());
  const auto append = [writer](std::span<const NewMessage> messages) -> Result<std::vector<Enqueued>> {
    std::vector<Enqueued> enqueued;
    enqueued.reserve(messages.size());
    for (const NewMessage& message : messages) enqueued.push_back(MAKEGOOD_TRY(writer->tell(message)));
    return enqueued;
  };
  return std::unique_ptr<SourceStore>(
      std::make_unique<relational::Sources>(std::move(connection), source_statements, &clock, append,
                                            [&opened, checkpointer] { return migrate_sources(opened); }));
}

}  // namespace makegood::sqlite
