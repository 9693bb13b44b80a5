// Who may call a daemon: from a file, and from the environment.
#pragma once

#include <string>
#include <vector>

#include "config/load.hpp"
#include "server/server.hpp"

namespace makegood::daemon {

/// Those of `server.token_file` and those of MAKEGOOD_TOKENS.
Result<std::vector<server::Token>> load_tokens(const std::string& file, const config::Environment& environment);

}  // namespace makegood::daemon
