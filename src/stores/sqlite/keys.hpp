// The statements about idempotency keys, in the dialect of SQLite.
#pragma once

#include "stores/sql/key_statements.hpp"

namespace makegood::sqlite {

const relational::KeyStatements& key_statements();

}  // namespace makegood::sqlite
