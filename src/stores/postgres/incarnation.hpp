// Which database this is: a copy must not send what the original sends.
#pragma once

#include "stores/postgres/connection.hpp"

namespace makegood::postgres {

/// System identifier, timeline and database. A higher timeline is a standby that took over, and is recorded.
/// Errc::store_foreign when this is a copy that has not been adopted.
Result<std::string> check_incarnation(Connection& connection);

}  // namespace makegood::postgres
