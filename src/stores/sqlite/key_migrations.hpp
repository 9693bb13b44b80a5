// The tables of idempotency keys and the inbox: a series of migrations of its own, beside those of outboxes.
#pragma once

#include <string>

#include "stores/sqlite/connection.hpp"

namespace makegood::sqlite {

/// What the series is called among the migrations; no outbox can be called so.
inline constexpr std::string_view key_series = "makegood_idempotency";

/// Brings the tables to this version, one transaction per migration. The connection is one of the series.
Result<> migrate_keys(Connection& connection);
Result<> check_key_version(Connection& connection);

}  // namespace makegood::sqlite
