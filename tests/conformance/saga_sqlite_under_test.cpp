#include <stdexcept>
#include <string>

#include "stores/sqlite/sqlite.hpp"
#include "tests/conformance/saga_tables_suite.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/sqlite/database.hpp"

namespace makegood::conformance {
namespace {

/// A program with a connection and a transaction of its own.
class SqliteStarter final : public Starter {
 public:
  explicit SqliteStarter(const std::string& path) : application_(path) { application_.run("BEGIN"); }

  Result<> start(const std::string& definition, const std::string& id, const std::string& input) override {
    return attempt("INSERT INTO makegood_saga (topic, event_id, payload) VALUES ('" + definition + "', '" + id +
                   "', '" + input + "')");
  }
  Result<> commit() override { return attempt("COMMIT"); }

 private:
  Result<> attempt(const std::string& sql) {
    const std::string error = application_.attempt(sql);
    if (!error.empty()) return Error{Errc::conflict, error};
    return {};
  }

  sqlite::Application application_;
};

class SqliteSagas final : public SagasUnderTest {
 public:
  std::unique_ptr<SagaStore> connect() override {
    auto store = value_of(sqlite::open_saga_store(path_, {}, clock));
    must(store->migrate());
    return store;
  }
  std::unique_ptr<SagaView> connect_view() override { return value_of(sqlite::open_saga_view(path_, {}, clock)); }
  std::unique_ptr<OutboxStore> connect_outbox() override {
    return value_of(sqlite::open_store(path_, "makegood_outbox", clock));
  }
  std::unique_ptr<Starter> begin() override { return std::make_unique<SqliteStarter>(path_); }
  std::optional<std::string> ask(const std::string& sql) override {
    sqlite::Application application(path_);
    const bool is_question = sql.starts_with("SELECT");
    if (is_question) return application.ask(sql);
    return application.attempt(sql).empty() ? "" : "refused";
  }

 private:
  const testing_support::TemporaryFolder folder_;
  const std::string path_ = folder_.file("store.db");
};

const SagasKind sqlite_sagas{"sqlite", [] { return std::make_unique<SqliteSagas>(); }};
INSTANTIATE_TEST_SUITE_P(Sqlite, SagaSuite, ::testing::Values(sqlite_sagas), ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Sqlite, SagaLists, ::testing::Values(sqlite_sagas), ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Sqlite, SagaTables, ::testing::Values(sqlite_sagas), ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Sqlite, SagaKeys, ::testing::Values(sqlite_sagas), ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Sqlite, SagaOld, ::testing::Values(sqlite_sagas), ::testing::PrintToStringParamName());

}  // namespace
}  // namespace makegood::conformance
