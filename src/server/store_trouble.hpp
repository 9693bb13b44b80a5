// Whether an error is about one call of a batch, or about all of them.
#pragma once

#include "base/error_table.hpp"

namespace makegood::server {

/// Trouble that every call of the batch would meet alone, too; the others are about one of its rows.
inline bool is_of_the_store(Errc code) { return fault_of(code) == Fault::store || fault_of(code) == Fault::moment; }

}  // namespace makegood::server
