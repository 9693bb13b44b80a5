// JSON Web Tokens, as far as a subject is wanted: RFC 7519 with HS256 or RS256.
#pragma once

#include <string>
#include <string_view>

#include "makegood/clock.hpp"
#include "proxy/options.hpp"

namespace makegood::proxy {

/// Issuer and subject of a token whose signature, times, issuer and audience are right; Errc::invalid otherwise.
Result<std::string> subject_of(std::string_view token, const JwtSubject& rule, TimePoint now);
/// Errc::config_invalid: it is no key for this algorithm.
Result<> check_jwt_key(const JwtSubject& rule);

}  // namespace makegood::proxy
