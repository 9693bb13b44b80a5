// The tables of idempotency keys and the inbox: a series of migrations of its own, beside those of outboxes.
#pragma once

#include "stores/postgres/connection.hpp"

namespace makegood::postgres {

/// Brings the tables to this version, one transaction per migration; several processes may do so at once. The
/// connection is one of the series.
Result<> migrate_keys(Connection& connection);

}  // namespace makegood::postgres
