// The stores that the suite is demanded of.
#include <libpq-fe.h>
#include <sqlite3.h>

#include <filesystem>

#include "makegood/postgres.hpp"
#include "makegood/postgres_idempotency.hpp"
#include "makegood/sqlite_idempotency.hpp"
#include "stores/postgres/postgres.hpp"
#include "stores/sqlite/sqlite.hpp"
#include "tests/conformance/idempotency_suite.hpp"
#include "tests/support/postgres_schema.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/sqlite/database.hpp"

namespace makegood::conformance {
namespace {

template <class T>
T or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message + " (" + result.error().diagnostics + ")");
  return *std::move(result);
}

std::unique_ptr<IdempotencyStore> migrated(Result<std::unique_ptr<IdempotencyStore>> opened) {
  auto store = or_throw(std::move(opened));
  if (const auto result = store->migrate(); !result) {
    throw std::runtime_error(result.error().message + " (" + result.error().diagnostics + ")");
  }
  return store;
}

class SqliteTransaction final : public KeyTransaction {
 public:
  SqliteTransaction(const std::string& path, const ResultStorage& storage) : application_(path) {
    keys_.emplace(or_throw(sqlite::Keys::open(application_.db(), {.limits = storage.limits, .seal = storage.seal})));
    application_.run("BEGIN IMMEDIATE");
  }
  Result<ClaimAnswer> claim(const ClaimRequest& request) override { return keys_->claim(request); }
  Result<ClaimAnswer> once(const ClaimRequest& request, const StoredResult& result) override {
    return keys_->once(request, result);
  }
  Result<> finish(const ClaimToken& claim, const StoredResult& result) override { return keys_->finish(claim, result); }
  Result<> fail(const ClaimToken& claim, const Failure& failure) override { return keys_->fail(claim, failure); }
  Result<Seen> seen(const InboxEvent& event) override { return keys_->seen(event); }
  std::string ask(const std::string& sql) override { return application_.ask(sql); }
  bool commit() override { return application_.attempt("COMMIT").empty(); }
  ~SqliteTransaction() override {
    keys_.reset();
    application_.attempt("ROLLBACK");
  }

 private:
  sqlite::Application application_;
  std::optional<sqlite::Keys> keys_;
};

class SqliteKeys final : public KeysUnderTest {
 public:
  std::unique_ptr<IdempotencyStore> connect(const ResultStorage& storage) override {
    return migrated(sqlite::open_idempotency_store(path_, clock, process_ids(), storage));
  }
  std::unique_ptr<IdempotencyStore> connect_in_real_time() override {
    return migrated(sqlite::open_idempotency_store(path_));
  }
  std::unique_ptr<KeyTransaction> begin(const ResultStorage& storage) override {
    return std::make_unique<SqliteTransaction>(path_, storage);
  }
  std::string ask(const std::string& sql) override { return sqlite::Application(path_).ask(sql); }

 private:
  const testing_support::TemporaryFolder folder_;
  const std::string path_ = folder_.file("store.db");
};

using testing_support::PostgresClient;
using testing_support::PostgresSchema;

class PostgresTransaction final : public KeyTransaction {
 public:
  PostgresTransaction(const std::string& url, const ResultStorage& storage) : client_(url) {
    keys_.emplace(or_throw(postgres::Keys::open(client_.handle(), {.limits = storage.limits, .seal = storage.seal})));
    client_.run("BEGIN");
  }
  Result<ClaimAnswer> claim(const ClaimRequest& request) override { return keys_->claim(request); }
  Result<ClaimAnswer> once(const ClaimRequest& request, const StoredResult& result) override {
    return keys_->once(request, result);
  }
  Result<> finish(const ClaimToken& claim, const StoredResult& result) override { return keys_->finish(claim, result); }
  Result<> fail(const ClaimToken& claim, const Failure& failure) override { return keys_->fail(claim, failure); }
  Result<Seen> seen(const InboxEvent& event) override { return keys_->seen(event); }
  std::string ask(const std::string& sql) override { return client_.run(sql); }
  bool commit() override { return bool(postgres::commit(client_.handle())); }

 private:
  PostgresClient client_;
  std::optional<postgres::Keys> keys_;
};

class PostgresKeys final : public KeysUnderTest {
 public:
  std::unique_ptr<IdempotencyStore> connect(const ResultStorage& storage) override {
    return migrated(postgres::open_idempotency_store(schema_.url_within(), "", {.instead = &clock}, storage));
  }
  std::unique_ptr<IdempotencyStore> connect_in_real_time() override {
    return migrated(postgres::open_idempotency_store(schema_.url_within(), schema_.name()));
  }
  std::unique_ptr<KeyTransaction> begin(const ResultStorage& storage) override {
    return std::make_unique<PostgresTransaction>(schema_.url_within(), storage);
  }
  std::string ask(const std::string& sql) override { return PostgresClient(schema_.url_within()).run(sql); }

 private:
  const PostgresSchema schema_;
};

/// PostgreSQL only with a server, and a test says so.
std::vector<KeysKind> kinds() {
  std::vector<KeysKind> kinds = {{"sqlite", [] { return std::make_unique<SqliteKeys>(); }}};
  if (!testing_support::postgres_url().empty()) {
    kinds.push_back({"postgres", [] { return std::make_unique<PostgresKeys>(); }});
  }
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Stores, IdempotencySuite, ::testing::ValuesIn(kinds()), ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Stores, IdempotencyTransactionSuite, ::testing::ValuesIn(kinds()),
                         ::testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(Stores, IdempotencyIsolation, ::testing::ValuesIn(kinds()),
                         ::testing::PrintToStringParamName());

/// A commit waits for the disk, and writes at least a page of the table and one of each index.
TEST(IdempotencyOnSqlite, FinishesABatchInOneCommit) {
  const testing_support::TemporaryFolder folder;
  const std::string path = folder.file("keys.db");
  const auto store = migrated(sqlite::open_idempotency_store(path));
  const auto finish = [&](const std::string& prefix, int count) {
    std::vector<Finish> batch;
    for (int i = 0; i < count; ++i) {
      const ClaimRequest request{.key = {.key = prefix + std::to_string(i)}, .fingerprint = "f"};
      batch.push_back({{request.key, or_throw(store->claim(request)).token}, {.digest = "d"}});
    }
    const auto before = std::filesystem::file_size(path + "-wal");
    for (const auto& finished : store->finish(batch)) EXPECT_TRUE(finished);
    return std::filesystem::file_size(path + "-wal") - before;
  };
  EXPECT_LT(finish("many", 20), 4 * finish("one", 1));
}

TEST(IdempotencyOnPostgres, HasAServer) {
  if (testing_support::postgres_url().empty()) GTEST_SKIP() << testing_support::no_postgres;
  EXPECT_EQ(kinds().size(), 2U);
}

}  // namespace
}  // namespace makegood::conformance
