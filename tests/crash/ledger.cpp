#include "tests/crash/ledger.hpp"

#include <sqlite3.h>

#include <fstream>

#include "makegood/assert.hpp"

namespace makegood::crash {
namespace {

constexpr const char* destination = "fn:receipts";

std::string text(sqlite3_stmt* statement, int column) {
  return reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
}

void read_orders(sqlite3* db, sim::Checker& checker) {
  sqlite3_stmt* statement = nullptr;
  MAKEGOOD_ASSERT(sqlite3_prepare_v2(db, "SELECT rowid, event_id, dispatch_key FROM orders", -1, &statement, nullptr) ==
                  SQLITE_OK);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    const std::string event_id = text(statement, 1);
    checker.committed(event_id, {.sequence = sqlite3_column_int64(statement, 0),
                                 .key = text(statement, 2),
                                 .content = "\"" + event_id + "\"",
                                 .destinations = {destination}});
  }
  sqlite3_finalize(statement);
}

}  // namespace

sim::Checker audit(const std::string& database, const std::string& receipts) {
  sim::Checker checker;
  sqlite3* db = nullptr;
  MAKEGOOD_ASSERT(sqlite3_open(database.c_str(), &db) == SQLITE_OK);
  read_orders(db, checker);
  sqlite3_close(db);
  std::ifstream lines(receipts);
  for (std::string event_id, content; lines >> event_id >> content;) checker.arrived(destination, event_id, content);
  checker.at_rest({});
  return checker;
}

std::size_t receipt_count(const std::string& receipts) {
  std::ifstream lines(receipts);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) ++count;
  return count;
}

}  // namespace makegood::crash
