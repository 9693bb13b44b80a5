#include "bench/application.hpp"

#include "bench/business.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

template <class Enqueuer>
std::unique_ptr<Enqueuer> kept(Result<Enqueuer> opened) {
  MAKEGOOD_ASSERT(opened.has_value());
  return std::make_unique<Enqueuer>(*std::move(opened));
}

}  // namespace

SqliteApplication::SqliteApplication(const std::string& path)
    : bare_(path), enqueuer_(kept(sqlite::Enqueuer::open(bare_.handle()))) {}

void SqliteApplication::commit(std::span<const NewMessage> messages) {
  bare_.run("BEGIN IMMEDIATE");
  bare_.add_business_row();
  MAKEGOOD_ASSERT(enqueuer_->enqueue(messages));
  bare_.run("COMMIT");
}

PostgresApplication::PostgresApplication(const std::string& url)
    : session_(url), enqueuer_(kept(postgres::Enqueuer::open(session_.handle()))) {}

void PostgresApplication::commit(std::span<const NewMessage> messages) {
  session_.run("BEGIN");
  session_.run(business_sql);
  MAKEGOOD_ASSERT(enqueuer_->enqueue(messages));
  MAKEGOOD_ASSERT(postgres::commit(session_.handle()));
}

std::unique_ptr<Application> open_application(const std::string& store_url) {
  const std::string file = file_of(store_url);
  if (file.empty()) return std::make_unique<PostgresApplication>(store_url);
  return std::make_unique<SqliteApplication>(file);
}

}  // namespace makegood::bench
