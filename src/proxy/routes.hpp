// Which route a request takes, and what an answer to it means. Decisions only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proxy/options.hpp"

namespace makegood::proxy {

/// A path as most services understand it: escapes of plain characters, double slashes and dots are resolved.
std::string plain_path(std::string_view path);
/// Whether a plain path fits a pattern.
bool fits(std::string_view pattern, std::string_view path);

/// Null: none, and the request is passed on as it comes.
const Route* find_route(const std::vector<Route>& routes, std::string_view method, std::string_view path);

/// How a request to the upstream ended.
struct Ending {
  enum class Kind : std::uint8_t {
    answered,
    never_left,  ///< Not a byte of it reached the upstream.
    timeout,
    cut,  ///< The connection ended before the answer was whole, or it was not HTTP.
  };
  Kind kind = Kind::answered;
  int status = 0;
};

Fate fate_of(const Route& route, const Ending& ending);
/// What a claim says about the death of its owner.
AfterLease after_crash(const Route& route);

}  // namespace makegood::proxy
