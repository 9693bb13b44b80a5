// Whether somebody stands between a connection and the server.
#pragma once

#include "makegood/result.hpp"

struct pg_conn;

namespace makegood::postgres {

/// True when the next transaction may be on another session of the server's: what is prepared or set in one is not
/// there in the next. Asks the server, once.
Result<bool> is_pooled(pg_conn* connection);

}  // namespace makegood::postgres
