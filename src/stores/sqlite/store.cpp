#include "stores/sqlite/store.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "makegood_store_sqlite_sql.hpp"
#include "stores/sql/transaction.hpp"
#include "stores/sqlite/migrate.hpp"
#include "stores/sqlite/sqlite.hpp"

namespace makegood::sqlite {
namespace {

/// Beside the database, and the same for every spelling of the outbox's name that SQLite takes for the same.
std::string lock_file_of(const Connection& connection) {
  std::string outbox = connection.outbox().name();
  std::ranges::transform(outbox, outbox.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return fmt::format("{}.{}.lane", connection.file(), outbox);
}

}  // namespace

Store::Store(Connection connection, const Clock& clock, Ids& ids, std::string environment)
    : clock_(clock),
      ids_(ids),
      environment_(std::move(environment)),
      connection_(std::move(connection)),
      lock_(lock_file_of(connection_)) {}

StoreFeatures Store::features() const { return {.name = "sqlite"}; }

Result<> Store::migrate() { return sqlite::migrate(connection_); }

Result<MessageWriter*> Store::writer() {
  if (!writer_) {
    const EnqueueOptions options{.outbox = connection_.outbox().name(), .content_bytes_max = content_bytes_highest};
    writer_.emplace(MAKEGOOD_TRY(MessageWriter::open(connection_.handle(), options, clock_, ids_)));
  }
  return &*writer_;
}

Result<std::vector<Enqueued>> Store::enqueue(std::span<const NewMessage> messages) {
  MessageWriter& writer = *MAKEGOOD_TRY(this->writer());
  std::vector<Enqueued> enqueued;
  enqueued.reserve(messages.size());
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection_));
  for (const NewMessage& message : messages) enqueued.push_back(MAKEGOOD_TRY(writer.write(message)));
  MAKEGOOD_TRY(transaction.commit());
  seen_version_.reset();  // The data version does not count what its own connection commits.
  return enqueued;
}

Result<std::vector<Enqueued>> Store::append_requests(std::span<const NewMessage> requests) {
  MessageWriter& writer = *MAKEGOOD_TRY(this->writer());
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection_));
  auto appended = MAKEGOOD_TRY(writer.write_requests(requests));
  MAKEGOOD_TRY(transaction.commit());
  seen_version_.reset();  // The data version does not count what its own connection commits.
  return appended;
}

bool Store::has_changed() {
  watch_.take();  // Before the question, so that what comes after it is told again.
  const auto version = connection_.number(sql::data_version);
  return !version || seen_version_ != *version;
}

Result<std::unique_ptr<OutboxStore>> open_store(std::string_view path, std::string_view outbox, const Clock& clock,
                                                Ids& ids, std::string environment) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(path, identifier));
  return std::unique_ptr<OutboxStore>(
      std::make_unique<Store>(std::move(connection), clock, ids, std::move(environment)));
}

}  // namespace makegood::sqlite
