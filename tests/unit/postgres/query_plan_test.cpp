// What operators look at goes by index: a page costs about as many rows as it shows, however many there are.
#include <regex>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/identifier.hpp"
#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

constexpr int messages = 20'000;
constexpr const char* page = "100";

class QueryPlan : public PostgresTest {
 protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped()) return;
    const std::string numbers = " FROM generate_series(1, " + std::to_string(messages) + ") AS n;";
    app().run(
        "INSERT INTO " + outbox() +
        " (topic, payload, tenant_id, event_id) SELECT 'orders.placed', '1', 't' || n % 5, 'e' || n" + numbers +
        "INSERT INTO " + outbox() +
        "_turn SELECT 0, n, 'a', now(), now(), n, n, '{\"reached\":1,\"open\":[],\"under_way\":{}}'" + numbers +
        "INSERT INTO " + outbox() +
        "_parked SELECT n, 'fn:a', 't', 'k', 0, (ARRAY['dead', 'quarantined', 'waiting', 'held'])[1 + n % 4], "
        "n % 40 = 0, 1, 0, now(), NULL, 'E', 'e', '[]', now(), now()" +
        numbers + "INSERT INTO " + outbox() +
        "_request (kind, sequence, destination, operator, reason, created_at) SELECT 'replay', n, 'fn:a', 'o', 'r', "
        "now()" +
        numbers + "ANALYZE");
  }

  /// The largest number of rows that came out of any part of it, in one go.
  long rows_passed(std::string_view sql, const std::string& types, const std::string& values) {
    const Identifier identifier = value_of(Identifier::from(outbox()));
    const std::string declared = types.empty() ? "" : " (" + types + ")";
    const std::string given = values.empty() ? "" : " (" + values + ")";
    const std::string plan =
        app().run("BEGIN; SET LOCAL plan_cache_mode = force_custom_plan; PREPARE question" + declared + " AS " +
                  identifier.into(sql) + "; EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE question" + given);
    app().run("ROLLBACK; DEALLOCATE question");
    long most = 0;
    static const std::regex rows(R"re("(?:Actual Rows|Rows Removed by Filter)": (\d+))re");
    for (std::sregex_iterator found(plan.begin(), plan.end(), rows), end; found != end; ++found) {
      most = std::max(most, std::stol((*found)[1]));
    }
    return most;
  }

  void expect_few(std::string_view sql, const std::string& types, const std::string& values) {
    EXPECT_LE(rows_passed(sql, types, values), 1000) << sql;
  }
};

constexpr const char* filter_types = "text, text, text, text, timestamptz, timestamptz, text, text";
constexpr const char* no_filter = "'', '', '', '', NULL, NULL, '', ''";

TEST_F(QueryPlan, APageOfMessagesReadsLittleMoreThanItShows) {
  const std::string below = std::string("9223372036854775807, ") + page;
  expect_few(sql::scan_messages, "bigint, bigint, bigint, boolean", "0, " + below + ", true");
  expect_few(sql::scan_messages, "bigint, bigint, bigint, boolean", std::string("0, 10000, ") + page + ", true");
  expect_few(sql::waiting_numbers, "bigint, bigint", below);
  expect_few(sql::dead_numbers, "bigint, bigint, text", below + ", 'dead'");
  expect_few(sql::heads_of, "bigint[]", "'{1,2,3,10000}'");
  expect_few(sql::parked_of, "bigint[]", "'{1,2,3,10000}'");
  expect_few(sql::published_at, "bigint[], bigint", "'{1,2,3,10000}', 0");
}

TEST_F(QueryPlan, APageOfDeadLettersReadsLittleMoreThanItShows) {
  expect_few(sql::list_dead, std::string(filter_types) + ", bigint, text, bigint",
             std::string(no_filter) + ", 10000, '', " + page);
}

TEST_F(QueryPlan, OneMessageIsFoundAtOnce) {
  expect_few(sql::numbers_of_event, "text, text", "'t3', 'e9998'");
  expect_few(sql::numbers_of_any_event, "text", "'e9999'");
  expect_few(sql::read_whole_message, "bigint", "9999");
  expect_few(sql::read_dead_letter, "bigint, text", "9999, ''");
  expect_few(sql::requests_about, "bigint", "9999");
  expect_few(sql::turn_from, "bigint, bigint", "9999, 0");
  expect_few(sql::turns_range, "bigint", "0");
  expect_few(sql::newest_turn, "bigint", "0");
}

TEST_F(QueryPlan, WhatIsOldestIsFoundAtOnce) {
  expect_few(sql::first_pending, "bigint", "10000");
  expect_few(sql::times_of, "bigint[]", "'{1,10000}'");
  expect_few(sql::list_requests, "bigint, bigint", std::string("10000, ") + page);
  expect_few(sql::pass_beyond, "bigint, bigint, bigint", std::string("10000, 20000, ") + page);
}

TEST_F(QueryPlan, KeysThatAreNamedAreFoundAtOnce) {
  must(value_of(open_idempotency_store(url(), schema().name()))->migrate());
  app().run("INSERT INTO " + schema().in("makegood_idempotency") +
            " (scope, key, fingerprint, state, token, after_lease, lease_until, expires_at, created_at, updated_at, "
            "ttl_ms) SELECT 's', 'k' || n, 'f', 'in_flight', 't', 'hold', now(), now() + interval '1 day', now(), "
            "now(), 1000 FROM generate_series(1, " +
            std::to_string(messages) + ") AS n; ANALYZE");
  app().run(std::string(sql::key_session_settings));
  const std::string named =
      R"('[{"place":0,"tenant_id":"default","scope":"s","key":"k7","fingerprint":"f","token":"t","after_lease":"hold",)"
      R"("ttl_ms":1,"lease_ms":1,"digest":"d","kind":"none","status":0,"headers":"","body":""}]', NULL)";
  for (const std::string_view sql : {sql::look_up_keys, sql::take_keys, sql::finish_keys}) {
    expect_few(sql, "json, timestamptz", named);
  }
}

TEST_F(QueryPlan, APurgeReadsWhatItDeletes) {
  must(value_of(open_idempotency_store(url(), schema().name()))->migrate());
  const std::string numbers = " FROM generate_series(1, " + std::to_string(messages) + ") AS n";
  app().run("INSERT INTO " + schema().in("makegood_idempotency") +
            " (scope, key, fingerprint, state, token, after_lease, lease_until, expires_at, created_at, updated_at, "
            "ttl_ms) SELECT 's', 'k' || n, 'f', 'succeeded', 't', 'hold', now(), now() + (n - 10) * interval '1 day', "
            "now(), now(), 1000" +
            numbers + "; INSERT INTO " + schema().in("makegood_inbox") +
            " (consumer, source, tenant_id, event_id, event_time) SELECT 'c', 's', 't', 'e' || n, now() + n * "
            "interval '1 day'" +
            numbers + "; ANALYZE");
  app().run(std::string(sql::key_session_settings));
  expect_few(sql::purge_keys, "bigint, bigint, timestamptz", "0, 100, NULL");
  expect_few(sql::raise_watermark, "text, timestamptz, bigint, bigint", "'c', NULL, 0, 100");
  expect_few(sql::purge_inbox, "text, bigint", "'c', 100");
}

TEST_F(QueryPlan, AScanOfEverythingIsNoticed) {
  EXPECT_GE(rows_passed("SELECT topic FROM {outbox} WHERE priority = 1", "", ""), messages)
      << "or the others say nothing";
}

}  // namespace
}  // namespace makegood::postgres
