// The numbered migrations of an outbox.
#pragma once

#include <chrono>

#include "stores/postgres/connection.hpp"
#include "stores/sql/migrations.hpp"

namespace makegood::postgres {

/// A table may be in use for long. Each try waits so briefly for it that producers who come behind it hardly notice.
struct MigrationPatience {
  int tries = 85;  ///< About a minute.
  std::chrono::milliseconds pause = std::chrono::milliseconds(200);
};

/// Brings the tables to this version, one transaction per migration; several processes may do so at once. Where there
/// is nothing to do, no right to change tables is needed. An error names the sessions that it has waited for.
Result<> migrate(Connection& connection, const MigrationPatience& patience = {});
/// The same for a log of sagas, with the tables beside it.
Result<> migrate_sagas(Connection& connection, const MigrationPatience& patience = {});
/// The tables of the sources of an outbox whose own tables are there.
Result<> migrate_sources(Connection& connection);
/// Errc::schema_mismatch unless the tables are exactly of this version.
Result<> check_version(Connection& connection);
/// The same of the tables beside a log of sagas.
Result<> check_saga_version(Connection& connection);

/// The number of the last one that was applied; 0 when there is none.
Result<std::int64_t> current_number(Connection& connection, const relational::MigrationSeries& series);
/// Everything that one migration does, and its own record.
std::string script_of(const relational::MigrationSeries& series, const relational::Migration& migration,
                      const Identifier& outbox);
/// Empty where no schema is named.
std::string create_schema(const Identifier& outbox);

}  // namespace makegood::postgres
