// The statements about idempotency keys, in the dialect of PostgreSQL.
#pragma once

#include "stores/postgres/identifier.hpp"
#include "stores/sql/key_statements.hpp"

namespace makegood::postgres {

const relational::KeyStatements& key_statements();
/// The series of migrations in this schema; empty: where the search path leads.
Result<Identifier> key_series_in(std::string_view schema);

}  // namespace makegood::postgres
