// From PostgreSQL's error codes to ours.
#pragma once

#include <string>
#include <string_view>

#include "makegood/result.hpp"

struct pg_conn;
struct pg_result;

namespace makegood::postgres {

/// The SQLSTATE of a statement that waited for a lock for longer than `lock_timeout`.
inline constexpr std::string_view lock_not_available = "55P03";

/// The SQLSTATE of a result that is an error; empty when there is none, as when the connection broke.
std::string_view state_of(const pg_result* result);
/// The error that a result carries.
Error failure(const pg_result* result);
/// The connection could not be made, or is gone.
Error lost_connection(const pg_conn* connection);

}  // namespace makegood::postgres
