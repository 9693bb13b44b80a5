// Which database this is: a copy must not send what the original sends.
#pragma once

#include "stores/sqlite/connection.hpp"

namespace makegood::sqlite {

/// The file's inode becomes part of its identity, unless it already has one.
Result<> record_first_inode(Connection& connection);
/// The random id of this database. Errc::store_foreign when this file is a copy that has not been adopted.
Result<std::string> check_incarnation(Connection& connection);

}  // namespace makegood::sqlite
