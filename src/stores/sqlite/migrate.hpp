// The numbered migrations of an outbox.
#pragma once

#include "stores/sqlite/connection.hpp"

namespace makegood::sqlite {

/// Brings the tables to this version, one transaction per migration; several processes may do so at once.
Result<> migrate(Connection& connection);
/// The same for a log of sagas, with the tables beside it.
Result<> migrate_sagas(Connection& connection);
/// The tables of the sources of an outbox whose own tables are there.
Result<> migrate_sources(Connection& connection);
/// Errc::schema_mismatch unless the tables are exactly of this version.
Result<> check_version(Connection& connection);
/// The same of the tables beside a log of sagas.
Result<> check_saga_version(Connection& connection);

}  // namespace makegood::sqlite
