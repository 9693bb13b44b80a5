// Whether libpq can read a URL, and what it reads.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "makegood/result.hpp"

namespace makegood::postgres {

/// Errc::invalid if not. Without libpq's own words: they quote what it stumbled over, and that may be the password.
Result<> check_url(const std::string& url);

/// What a URL says, by the names of libpq; what it does not say is missing.
using UrlParts = std::map<std::string, std::string, std::less<>>;
Result<UrlParts> parts_of(const std::string& url);

}  // namespace makegood::postgres
