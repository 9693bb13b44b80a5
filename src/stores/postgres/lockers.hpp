// Which server processes keep others from a table.
#pragma once

#include <string_view>

#include "makegood/result.hpp"
#include "stores/postgres/connection.hpp"

namespace makegood::postgres {

/// The error of a wait that was too long, with this message, and in its diagnostics whoever holds the outbox's table
/// with this suffix. Asked right after the wait, while they still hold it.
Error blocked_by_lockers(Connection& connection, std::string_view suffix, Error error, std::string_view message);

}  // namespace makegood::postgres
