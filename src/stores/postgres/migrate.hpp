// The numbered migrations of an outbox.
#pragma once

#include "stores/postgres/connection.hpp"

namespace makegood::postgres {

/// Brings the tables to this version, one transaction per migration; several processes may do so at once. Where there
/// is nothing to do, no right to change tables is needed.
Result<> migrate(Connection& connection);
/// Errc::schema_mismatch unless the tables are exactly of this version.
Result<> check_version(Connection& connection);

}  // namespace makegood::postgres
