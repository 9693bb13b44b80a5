#include "stores/sqlite/failure.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include "stores/sql/migrations.hpp"

namespace makegood::sqlite {
namespace {

std::string diagnostics_of(sqlite3* db, int code) {
  return fmt::format("SQLite {}: {}", code, db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(code));
}

Error constraint_failure(sqlite3* db, int code) {
  std::string diagnostics = diagnostics_of(db, code);
  // The sentence of a trigger of ours.
  if (code == SQLITE_CONSTRAINT_TRIGGER && db != nullptr) {
    return {Errc::conflict, sqlite3_errmsg(db), std::move(diagnostics)};
  }
  return {Errc::conflict, "The row breaks a rule of its table.", std::move(diagnostics)};
}

}  // namespace

Error failure(sqlite3* db, int code) {
  std::string diagnostics = diagnostics_of(db, code);
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Errc::store_unavailable, "The database is locked by another connection; try again.",
              std::move(diagnostics)};
    case SQLITE_FULL:
      return {Errc::store_full, "The disk is full; make room and try again.", std::move(diagnostics)};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {Errc::store_corrupt, "The file is damaged or is not a SQLite database.", std::move(diagnostics)};
    case SQLITE_CONSTRAINT:
      return constraint_failure(db, code);
    case SQLITE_TOOBIG:
      return {Errc::payload_too_large, "The message is larger than SQLite can store.", std::move(diagnostics)};
    // Our statements are constants: an error in one of them means that it met other tables than it was written for.
    case SQLITE_ERROR:
    case SQLITE_SCHEMA:
      return relational::missing_tables(std::move(diagnostics));
    case SQLITE_NOMEM:
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
    case SQLITE_INTERNAL:
      return {Errc::internal, "SQLite refused a call that should be right.", std::move(diagnostics)};
    default:
      return {Errc::store_unavailable, "The database file could not be read or written.", std::move(diagnostics)};
  }
}

Error commit_failure(sqlite3* db, int code) {
  if ((code & 0xFF) == SQLITE_BUSY) return failure(db, code);
  const Error cause = failure(db, code);
  const std::string what = cause.code == Errc::store_full ? "The disk is full; make room. " : "";
  return {Errc::in_doubt, what + "The commit failed half-way; whether it happened is unknown.", cause.diagnostics,
          cause.code};
}

}  // namespace makegood::sqlite
