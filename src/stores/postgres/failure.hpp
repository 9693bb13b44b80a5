// From PostgreSQL's error codes to ours.
#pragma once

#include <string>
#include <string_view>

#include "makegood/result.hpp"

struct pg_conn;
struct pg_result;

namespace makegood::postgres {

/// The SQLSTATE of a result that is an error; empty when there is none, as when the connection broke.
std::string_view state_of(const pg_result* result);
/// The error that a result carries.
Error failure(const pg_result* result);
/// The connection could not be made, or is gone.
Error lost_connection(const pg_conn* connection);
Error missing_tables(std::string diagnostics);

}  // namespace makegood::postgres
