// How somebody on this machine gets in: over a socket for the user of the process, or with a token in a file.
#pragma once

#include <string>

#include "config/environment.hpp"
#include "config/options.hpp"
#include "observe/log.hpp"
#include "server/server.hpp"

namespace makegood::daemon {

struct EntranceRules {
  std::string folder = {};  ///< That is configured. Empty: the usual ones.
  bool is_open_on_loopback = false;
  bool has_tokens = false;  ///< Configured ones.
};

/// Opens what can be opened, and answers it in words for the first line; empty: nothing, so that only those who have
/// configured tokens get in.
std::string open_entrance(server::Server& server, const EntranceRules& rules, const config::Environment& environment,
                          observe::Log& log);

}  // namespace makegood::daemon
