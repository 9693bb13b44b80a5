// The lane's statements go by index, also with plans from when the tables were empty: nobody plans them anew when they
// are full.
#include <regex>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/identifier.hpp"
#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

struct Planned {
  std::string_view sql;
  const char* types;
  const char* values;
};

constexpr auto statements = std::to_array<Planned>({
    {sql::look_beyond, "bigint, bigint", "10000, 100"},
    {sql::look_keys, "bigint, bigint", "10000, 100"},
    {sql::look_numbers, "bigint, bigint, bigint[], bigint[], bigint, boolean",
     "19990, 100, '{5,9000}', '{6,9005}', 100, true"},
    {sql::scan_beyond, "bigint, bigint, bigint[], bigint[], bigint, bigint, text, boolean",
     "10000, 20000, '{5}', '{6}', 100, 100, 'fn:a', true"},
    {sql::late_heads, "bigint[], bigint[]", "'{5,9000}', '{6,9005}'"},
    {sql::late_numbers, "bigint[], bigint[]", "'{5,9000}', '{6,9005}'"},
    {sql::read_messages, "bigint[]", "'{1,2,3,10000}'"},
    {sql::read_waiting, "text, text, bigint, text[]", "'fn:a', 'x', 100, '{}'"},
    {sql::has_changed, "bigint, bigint[], bigint[], bigint, bigint, bigint[]", "20000, '{5}', '{6}', 0, 0, '{700}'"},
    {sql::has_news, "bigint, bigint[]", "20000, '{700}'"},
    {sql::look_heads, "timestamptz, bigint[], bigint", "NULL, '{700}', 0"},
    {sql::append_turn,
     "bigint, text, timestamptz, bigint, bigint, bigint, json, bigint, text, bigint, bigint, text, bigint",
     "20000, 'a', NULL, 1, 1, 1, '{}', 1, 'e', 1, 0, '', 0"},
    {sql::answer_requests, "bigint[], text[], bigint", "'{1,2}', '{done,done}', 0"},
    {sql::last_turn, "timestamptz, bigint", "NULL, 0"},
    {sql::fruitless_takings, "bigint", "0"},
    {sql::clean_boundary, "timestamptz, bigint, bigint, bigint", "now(), 100, 0, 0"},
    {sql::clean_range, "bigint, bigint, bigint", "0, 10000, 100"},
    {sql::keep_messages, "bigint, bigint", "0, 100"},
    {sql::clean_log, "bigint, bigint", "0, 100"},
    {sql::clean_turns, "bigint, bigint, bigint, bigint, bigint", "20000, 100, 0, 10000, 0"},
    {sql::clean_done, "timestamptz, bigint", "now(), 100"},
    {sql::clean_dead, "timestamptz, bigint", "now(), 100"},
    {sql::clean_kept, "bigint[], text[]", "'{1,2,3}', '{a,b,c}'"},
    {sql::find_event, "text, text, text, text, bigint, text, bytea, text, text",
     "'e5', 't', 't', '', 0, '1', NULL, '', ''"},
});

class LanePlan : public PostgresTest {
 protected:
  std::string name_of_plan(std::size_t index) const { return "plan_" + std::to_string(index); }
  static std::string in_brackets(const std::string& text) { return text.empty() ? "" : " (" + text + ")"; }

  void plan_all() {
    const Identifier identifier = value_of(Identifier::from(outbox()));
    app().run(std::string(sql::session_settings));
    for (std::size_t index = 0; index < statements.size(); ++index) {
      const Planned& planned = statements.at(index);
      app().run("PREPARE " + name_of_plan(index) + in_brackets(planned.types) + " AS " + identifier.into(planned.sql));
      run("EXPLAIN EXECUTE ", index);
    }
  }
  std::string run(const std::string& verb, std::size_t index) {
    return app().run(verb + name_of_plan(index) + in_brackets(statements.at(index).values));
  }
  void fill() {
    const std::string numbers = " FROM generate_series(1, 20000) AS n;";
    app().run(
        "INSERT INTO " + outbox() + " (topic, payload, event_id) SELECT 't', '1', 'e' || n" + numbers + "INSERT INTO " +
        outbox() + "_turn SELECT 0, n, 'a', now(), now(), n, n, '{}'" + numbers + "INSERT INTO " + outbox() +
        "_kept SELECT n, 'e' || n, 't', 't', NULL, 0, '1', NULL, NULL, NULL, NULL, NULL, NULL, now()" + numbers +
        "INSERT INTO " + outbox() +
        "_parked SELECT n, 'fn:a', 't', 'k', 0, (ARRAY['dead', 'done', 'waiting', 'held'])[1 + n % 4], false, 1, 0, "
        "now() - interval '1 hour', NULL, 'E', 'e', '[]', now(), now() - interval '1 hour'" +
        numbers + "INSERT INTO " + outbox() +
        "_request (kind, sequence, destination, operator, reason, created_at) SELECT 'replay', n, 'fn:a', 'o', 'r', "
        "now()" +
        numbers);
  }
  /// The largest number of rows that came out of any part of it, or were thrown away there, in one go.
  static long rows_passed(const std::string& plan) {
    long most = 0;
    static const std::regex rows(R"re("(?:Actual Rows|Rows Removed by Filter|Rows Removed by Join Filter)": (\d+))re");
    for (std::sregex_iterator found(plan.begin(), plan.end(), rows), end; found != end; ++found) {
      most = std::max(most, std::stol((*found)[1]));
    }
    return most;
  }
};

TEST_F(LanePlan, FromWhenTheTablesWereEmptyStillReadsLittle) {
  plan_all();
  fill();
  for (std::size_t index = 0; index < statements.size(); ++index) {
    app().run("BEGIN");
    const std::string plan = run("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE ", index);
    app().run("ROLLBACK");
    EXPECT_LE(rows_passed(plan), 250) << statements.at(index).sql << plan;
  }
}

}  // namespace
}  // namespace makegood::postgres
