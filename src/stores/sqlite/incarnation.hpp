// Which database this is: a copy must not send what the original sends.
#pragma once

#include "base/origin.hpp"
#include "stores/sqlite/connection.hpp"

namespace makegood::sqlite {

/// What is known of the file becomes part of its identity, as far as nothing is recorded yet.
Result<> record_first_traits(Connection& connection);
/// The random id of this database. Errc::store_foreign when this file is a copy that has not been adopted. Within a
/// write transaction: what the record lacks is added to it.
Result<std::string> check_incarnation(Connection& connection, const std::string& environment);

}  // namespace makegood::sqlite
