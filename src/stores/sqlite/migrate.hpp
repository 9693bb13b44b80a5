// The numbered migrations of an outbox.
#pragma once

#include "stores/sqlite/connection.hpp"

namespace makegood::sqlite {

/// Brings the tables to this version, one transaction per migration; several processes may do so at once.
Result<> migrate(Connection& connection);
/// Errc::schema_mismatch unless the tables are exactly of this version.
Result<> check_version(Connection& connection);

}  // namespace makegood::sqlite
