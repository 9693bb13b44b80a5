// Topics that are addresses themselves: `http:<url>`, off unless a destination allows the beginning of the URL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transports/http/url.hpp"

namespace makegood::http {

/// A scheme, a host and, if wanted, a port and the beginning of a path; no query. Normalised, without a `/` at its end.
Result<std::string> parse_raw_prefix(std::string_view prefix);

/// Errc::invalid when the topic is no such address, or begins with none of them. Whole segments of the path count:
/// `…/hooks` allows `…/hooks/7`, not `…/hooks-of-others`.
Result<Url> parse_raw_topic(std::string_view topic, const std::vector<std::string>& prefixes);

}  // namespace makegood::http
