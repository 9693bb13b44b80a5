#include <stdexcept>
#include <string>
#include <utility>

#include "makegood/postgres.hpp"
#include "stores/postgres/postgres.hpp"
#include "tests/conformance/saga_tables_suite.hpp"
#include "tests/support/postgres_schema.hpp"

namespace makegood::conformance {
namespace {

using testing_support::PostgresClient;
using testing_support::PostgresSchema;

/// A program with a connection and a transaction of its own.
class PostgresStarter final : public Starter {
 public:
  explicit PostgresStarter(const PostgresSchema& schema) : client_(schema.url_within()) { client_.run("BEGIN"); }

  Result<> start(const std::string& definition, const std::string& id, const std::string& input) override {
    const std::string state = client_.state_of("INSERT INTO makegood_saga (topic, event_id, payload) VALUES ('" +
                                               definition + "', '" + id + "', '" + input + "')");
    if (!state.empty()) return Error{Errc::conflict, state};
    return {};
  }
  Result<> commit() override { return postgres::commit(client_.handle()); }

 private:
  PostgresClient client_;
};

class PostgresSagas final : public SagasUnderTest {
 public:
  std::unique_ptr<SagaStore> connect() override {
    auto store = value_of(postgres::open_saga_store(schema_.url(), options_, {.instead = &clock}));
    must(store->migrate());
    return store;
  }
  std::unique_ptr<SagaView> connect_view() override {
    return value_of(postgres::open_saga_view(schema_.url(), options_, {.instead = &clock}));
  }
  std::unique_ptr<OutboxStore> connect_outbox() override {
    return value_of(postgres::open_store(schema_.url(), options_.outbox, {.instead = &clock}));
  }
  std::unique_ptr<Starter> begin() override { return std::make_unique<PostgresStarter>(schema_); }
  std::optional<std::string> ask(const std::string& sql) override {
    const PostgresClient client(schema_.url_within());
    const bool is_question = sql.starts_with("SELECT");
    if (is_question) return client.run(sql);
    return client.state_of(sql).empty() ? "" : "refused";
  }

  const PostgresSchema& schema() const { return schema_; }

 private:
  const PostgresSchema schema_;
  const SagaStoreOptions options_{.log = schema_.in("makegood_saga"), .outbox = schema_.in("makegood_outbox")};
};

/// None without a server, and a test says so.
std::vector<SagasKind> postgres_sagas() {
  if (testing_support::postgres_url().empty()) return {};
  return {{"postgres", [] { return std::make_unique<PostgresSagas>(); }}};
}
INSTANTIATE_TEST_SUITE_P(Postgres, SagaSuite, ::testing::ValuesIn(postgres_sagas()),
                         ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Postgres, SagaLists, ::testing::ValuesIn(postgres_sagas()),
                         ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Postgres, SagaTables, ::testing::ValuesIn(postgres_sagas()),
                         ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Postgres, SagaKeys, ::testing::ValuesIn(postgres_sagas()),
                         ::testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Postgres, SagaOld, ::testing::ValuesIn(postgres_sagas()), ::testing::PrintToStringParamName());

TEST(PostgresSagaSuite, HasAServer) {
  if (testing_support::postgres_url().empty()) GTEST_SKIP() << testing_support::no_postgres;
  EXPECT_EQ(postgres_sagas().size(), 1U);
}

/// What producers have besides the plain INSERT: makegood.start_saga.
class StartSaga : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing_support::postgres_url().empty()) GTEST_SKIP() << testing_support::no_postgres;
    sagas_ = std::make_unique<PostgresSagas>();
    store_ = sagas_->connect();
    client_ = std::make_unique<PostgresClient>(sagas_->schema().url_within());
  }

  std::unique_ptr<PostgresSagas> sagas_;
  std::unique_ptr<SagaStore> store_;
  std::unique_ptr<PostgresClient> client_;
};

TEST_F(StartSaga, StartsInTheCallersTransaction) {
  client_->run("BEGIN");
  EXPECT_EQ(client_->run(R"(SELECT makegood.start_saga('order', '{"total": 10}', id => 'o1', key => 'customer-7'))"),
            "o1");
  EXPECT_EQ(value_of(store_->find("default", "o1")), std::nullopt);
  client_->run("COMMIT");
  const auto execution = value_of(store_->find("default", "o1"));
  ASSERT_TRUE(execution);
  const auto loaded = value_of(store_->load({&*execution, 1}));
  ASSERT_EQ(loaded.size(), 1U);
  EXPECT_EQ(loaded[0].start->topic, "order");
  EXPECT_EQ(loaded[0].start->content, R"({"total": 10})");
  EXPECT_EQ(loaded[0].start->dispatch_key, "customer-7");
}

TEST_F(StartSaga, DrawsAnIdIfItIsGivenNone) {
  const std::string id = client_->run("SELECT makegood.start_saga('order', tenant_id => 'acme')");
  EXPECT_EQ(id.size(), 36U);
  EXPECT_TRUE(value_of(store_->find("acme", id)));
}

TEST_F(StartSaga, AnswersTheSameStartAgainWithTheFirst) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(client_->run(R"(SELECT makegood.start_saga('order', '{"total": 10}', id => 'o1'))"), "o1");
  }
  EXPECT_EQ(client_->run("SELECT count(*) FROM makegood_saga"), "1");
}

TEST_F(StartSaga, RefusesAnotherInputUnderTheSameId) {
  client_->run(R"(SELECT makegood.start_saga('order', '{"total": 10}', id => 'o1'))");
  EXPECT_EQ(client_->state_of(R"(SELECT makegood.start_saga('order', '{"total": 11}', id => 'o1'))"), "MG003");
  EXPECT_EQ(client_->state_of(R"(SELECT makegood.start_saga('refund', '{"total": 10}', id => 'o1'))"), "MG003");
  EXPECT_EQ(client_->state_of(R"(SELECT makegood.start_saga('order', '{"total": 10}', id => 'o1', key => 'k'))"),
            "MG003");
  EXPECT_EQ(client_->state_of("SELECT makegood.start_saga('makegood.saga.cancel')"), "MG003");
}

}  // namespace
}  // namespace makegood::conformance
