// Whether a call's body can be read at all.
#pragma once

#include <optional>

#include "api/call.hpp"

namespace makegood::api {

/// 415 or 400, or nothing: it may be JSON. A body must say what it is: a page in a browser can send any other type to a
/// server on loopback without asking.
std::optional<Answer> objection_to_body(const Call& call);

}  // namespace makegood::api
