// Whether libpq can read a URL.
#pragma once

#include <string>

#include "makegood/result.hpp"

namespace makegood::postgres {

/// Errc::invalid if not. Without libpq's own words: they quote what it stumbled over, and that may be the password.
Result<> check_url(const std::string& url);

}  // namespace makegood::postgres
