// Whether another way leads to the very same server.
#pragma once

#include <span>
#include <string>

#include "stores/postgres/connection.hpp"
#include "stores/postgres/place.hpp"

namespace makegood::postgres {

/// Takes a lock of a random number here, and asks the newest of these places, the last ones, whether they see it in
/// their database. A standby, a copy and a place that is silent for two seconds do not. Places of other machines are
/// passed over. User, password and TLS are those of the connection. Outside of a transaction.
Result<bool> leads_here(Connection& connection, std::span<const Place> places, const std::string& machine);

}  // namespace makegood::postgres
