// What is asked often, or of long tables, goes by an index.
#include "makegood_store_sqlite_sql.hpp"
#include "stores/sqlite/identifier.hpp"
#include "tests/unit/sqlite/database.hpp"

namespace makegood::sqlite {

class QueryPlan : public SqliteTest {
 protected:
  std::string of(std::string_view statement) {
    return app().ask("EXPLAIN QUERY PLAN " + value_of(Identifier::from("makegood_outbox")).into(statement));
  }
  void expect_index_alone(std::string_view statement, const std::string& index) {
    const std::string plan = of(statement);
    EXPECT_NE(plan.find("USING COVERING INDEX " + index), std::string::npos) << plan;
  }
};

TEST_F(QueryPlan, APageOfMessagesGoesDownTheLogAndStops) {
  const std::string plan = of(sql::scan_messages);
  EXPECT_NE(plan.find("SEARCH makegood_outbox USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"), std::string::npos)
      << plan;
  EXPECT_EQ(plan.find("TEMP B-TREE"), std::string::npos) << "no page may sort the log: " << plan;
}

TEST_F(QueryPlan, DeadLettersAreFilteredByTheirIndexAlone) {
  for (const std::string_view statement :
       {sql::list_dead, sql::count_dead_letters, sql::group_dead, sql::dead_numbers, sql::count_dead}) {
    expect_index_alone(statement, "makegood_outbox_parked_dead");
  }
  const std::string plan = of(sql::list_dead);
  EXPECT_GT(plan.find("TEMP B-TREE"), plan.find("SCAN found")) << "nothing is sorted but the page: " << plan;
}

TEST_F(QueryPlan, TheBacklogIsCountedByIndexesAlone) {
  expect_index_alone(sql::count_waiting, "makegood_outbox_parked_due");
  expect_index_alone(sql::count_held, "makegood_outbox_parked_count");
  expect_index_alone(sql::parked_counts, "makegood_outbox_parked_count");
  expect_index_alone(sql::waiting_numbers, "makegood_outbox_parked_due");
  expect_index_alone(sql::under_way_numbers, "makegood_outbox_parked_due");
}

TEST_F(QueryPlan, AnEventIsFoundByTheIndexThatKeepsItUnique) {
  for (const std::string_view statement : {sql::numbers_of_event, sql::numbers_of_any_event}) {
    const std::string plan = of(statement);
    EXPECT_NE(plan.find("sqlite_autoindex_makegood_outbox_1 (tenant_id=? AND event_id=?)"), std::string::npos) << plan;
    EXPECT_NE(plan.find("makegood_outbox_kept_event (event_id=?)"), std::string::npos) << plan;
    EXPECT_EQ(plan.find("SCAN makegood_outbox"), std::string::npos) << plan;
  }
}

TEST_F(QueryPlan, WhatBelongsToOneMessageIsFoundWithoutAScan) {
  for (const std::string_view statement : {sql::read_dead_letter, sql::read_whole_message, sql::requests_about,
                                           sql::list_requests, sql::turn_from, sql::thin_turn}) {
    const std::string plan = of(statement);
    EXPECT_EQ(plan.find("SCAN makegood"), std::string::npos) << plan;
    EXPECT_EQ(plan.find("TEMP B-TREE"), std::string::npos) << plan;
  }
}

TEST_F(QueryPlan, WhatBelongsToSeveralMessagesIsFoundWithoutAScan) {
  for (const std::string_view statement :
       {sql::heads_of, sql::times_of, sql::parked_of, sql::published_at, sql::clean_kept}) {
    const std::string plan = of(statement);
    for (const char* scanned : {"SCAN m", "SCAN k", "SCAN p"}) {
      EXPECT_EQ(plan.find(scanned), std::string::npos) << plan;
    }
  }
}

}  // namespace makegood::sqlite
