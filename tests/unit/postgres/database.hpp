// A schema of a test's own with an outbox in it, plain connections to it as applications have them, and stores over it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "makegood/postgres.hpp"
#include "stores/postgres/postgres.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/postgres_schema.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::postgres {

using namespace std::chrono_literals;
using testing_support::a_message;
using testing_support::a_parked;
using testing_support::name_of;
using testing_support::PostgresClient;
using testing_support::PostgresSchema;
using Names = std::vector<std::string>;
using Numbers = std::vector<Sequence>;

inline constexpr Duration lease = 10s;

inline LookFor all_beyond(Sequence reached, std::vector<Sequence> numbers = {}) {
  return {.owner = "a",
          .reached = reached,
          .numbers = std::move(numbers),
          .rows_max = 10'000,
          .bytes_max = std::size_t{64} << 20};
}

inline LookFor late_and_beyond(Sequence reached, NumberSet open) {
  LookFor wanted = all_beyond(reached);
  wanted.open = std::move(open);
  return wanted;
}

inline Names names(const std::vector<MessagePtr>& rows) {
  Names names;
  for (const MessagePtr& row : rows) names.push_back(name_of(*row));
  return names;
}

/// Tries until it is true, for ten seconds at most.
template <class Condition>
bool becomes_true(Condition condition) {
  const auto give_up_at = std::chrono::steady_clock::now() + 10s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up_at) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

/// Skipped, and says so, where there is no server.
class PostgresTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing_support::postgres_url().empty()) GTEST_SKIP() << testing_support::no_postgres;
    schema_.emplace();
    store_ = open();
    must(store_->migrate());
    app_.emplace(url());
  }

  const std::string& url() const { return schema_->url(); }
  /// Its sessions have the schema's name, and so can be told from those of the tests beside this one.
  std::string url_with_name() const {
    return url() + (url().find('?') == std::string::npos ? "?" : "&") + "application_name=" + schema().name();
  }
  const PostgresSchema& schema() const { return *schema_; }
  std::string outbox() const { return schema_->in("makegood_outbox"); }
  std::unique_ptr<OutboxStore> open() const { return value_of(open_store(url(), schema_->in("makegood_outbox"))); }
  OutboxStore& store() { return *store_; }
  /// An application's connection.
  PostgresClient& app() { return *app_; }

  /// A plain INSERT on that connection, in whatever transaction it has.
  static Sequence insert(const PostgresClient& client, const std::string& outbox, const std::string& name) {
    return std::stoll(client.run("INSERT INTO " + outbox + " (topic, payload) VALUES ('orders.placed', '\"" + name +
                                 "\"') RETURNING sequence"));
  }
  Sequence insert(const PostgresClient& client, const std::string& name) { return insert(client, outbox(), name); }
  Sequence insert(const std::string& name) { return insert(app(), name); }
  Found look(Sequence reached, NumberSet open = {}) {
    return value_of(store().look(late_and_beyond(reached, std::move(open))));
  }

 private:
  std::optional<PostgresSchema> schema_;
  std::unique_ptr<OutboxStore> store_;
  std::optional<PostgresClient> app_;
};

}  // namespace makegood::postgres
