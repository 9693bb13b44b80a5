// The names by which a row of a log is found and kept in order.
#pragma once

#include <string_view>

#include "makegood/result.hpp"

namespace makegood {

Result<> check_names(std::string_view tenant_id, std::string_view event_id, std::string_view dispatch_key);

}  // namespace makegood
