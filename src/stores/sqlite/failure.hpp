// From SQLite's result codes to ours.
#pragma once

#include "makegood/result.hpp"

struct sqlite3;

namespace makegood::sqlite {

/// The error for `code`, which the last call on `db` returned. `db` may be null.
Error failure(sqlite3* db, int code);
/// The same for a COMMIT: unless it certainly did not happen, its outcome is unknown.
Error commit_failure(sqlite3* db, int code);

}  // namespace makegood::sqlite
