#include "stores/sqlite/statement.hpp"

#include <sqlite3.h>

#include "makegood/spi/assert.hpp"
#include "stores/sqlite/failure.hpp"

namespace makegood::sqlite {
namespace {

/// SQLite takes a null pointer for NULL; an empty text is not NULL.
const char* start_of(std::string_view text) { return text.data() != nullptr ? text.data() : ""; }

std::string_view view_of(const void* data, int bytes) {
  return {static_cast<const char*>(data), static_cast<std::size_t>(bytes)};
}

void check(int code) { MAKEGOOD_ASSERT(code == SQLITE_OK || code == SQLITE_TOOBIG || code == SQLITE_NOMEM); }

}  // namespace

std::optional<std::int64_t> milliseconds_or_null(const std::optional<TimePoint>& time) {
  if (!time) return std::nullopt;
  return to_milliseconds(*time);
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

Result<Statement> Statement::prepare(sqlite3* db, std::string_view sql, bool is_lasting) {
  sqlite3_stmt* handle = nullptr;
  const unsigned flags = is_lasting ? SQLITE_PREPARE_PERSISTENT : 0;
  const int code = sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()), flags, &handle, nullptr);
  if (code != SQLITE_OK) return failure(db, code);
  return Statement(handle);
}

Rows::~Rows() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  // A borrowed text must not be looked at again.
  sqlite3_clear_bindings(statement_);
}

int Rows::step() { return sqlite3_step(statement_); }

Result<bool> Rows::next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  sqlite3* db = sqlite3_db_handle(statement_);
  return failure(db, sqlite3_extended_errcode(db));
}

Result<> Rows::finish() {
  while (MAKEGOOD_TRY(next())) {
  }
  return {};
}

bool Rows::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

std::int64_t Rows::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::optional<std::int64_t> Rows::integer_or_null(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

std::optional<TimePoint> Rows::time_or_null(int column) const {
  if (is_null(column)) return std::nullopt;
  return time(column);
}

std::string_view Rows::text(int column) const {
  const unsigned char* data = sqlite3_column_text(statement_, column);
  if (data == nullptr) return {};
  return view_of(data, sqlite3_column_bytes(statement_, column));
}

std::string_view Rows::blob(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  if (data == nullptr) return {};
  return view_of(data, sqlite3_column_bytes(statement_, column));
}

void Rows::bind(int index, std::int64_t value) { check(sqlite3_bind_int64(statement_, index, value)); }

void Rows::bind(int index, std::optional<std::int64_t> value) {
  if (value) bind(index, *value);  // Not bound is NULL.
}

void Rows::bind(int index, std::string_view text) {
  check(sqlite3_bind_text64(statement_, index, start_of(text), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Rows::bind(int index, NullIfEmpty value) {
  if (!value.text.empty()) bind(index, value.text);
}

void Rows::bind_borrowed(int index, std::string_view text) {
  check(sqlite3_bind_text64(statement_, index, start_of(text), text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Rows::bind_borrowed(int index, NullIfEmpty value) {
  if (!value.text.empty()) bind_borrowed(index, value.text);
}

void Rows::bind_blob(int index, std::string_view bytes) {
  check(sqlite3_bind_blob64(statement_, index, start_of(bytes), bytes.size(), SQLITE_TRANSIENT));
}

void Rows::bind_borrowed_blob(int index, std::string_view bytes) {
  check(sqlite3_bind_blob64(statement_, index, start_of(bytes), bytes.size(), SQLITE_STATIC));
}

}  // namespace makegood::sqlite
