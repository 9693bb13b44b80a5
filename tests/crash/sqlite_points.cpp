#include <sqlite3.h>

#include "makegood/spi/assert.hpp"
#include "tests/crash/statement_points.hpp"

namespace makegood::crash {
namespace {

int on_trace(unsigned kind, void*, void* statement, void* detail) {
  const char* sql = sqlite3_sql(static_cast<sqlite3_stmt*>(statement));
  if (Step::current().empty() || sql == nullptr) return 0;
  const bool is_beginning = kind == SQLITE_TRACE_STMT;
  const bool is_in_trigger = is_beginning && std::string_view(static_cast<const char*>(detail)) != sql;
  if (!is_in_trigger) pass_statement(is_beginning ? Moment::begins : Moment::ends, sql);
  return 0;
}

int on_commit(void*) {
  pass_in_step("committing");
  return 0;
}

int watch(sqlite3* db, const char**, const sqlite3_api_routines*) {
  sqlite3_trace_v2(db, SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE, on_trace, nullptr);
  sqlite3_commit_hook(db, on_commit, nullptr);
  return SQLITE_OK;
}

}  // namespace

void watch_sqlite() { MAKEGOOD_ASSERT(sqlite3_auto_extension(reinterpret_cast<void (*)()>(watch)) == SQLITE_OK); }

}  // namespace makegood::crash
