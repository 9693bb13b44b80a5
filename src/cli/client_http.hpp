// Calls that travel to a server, with libcurl.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/client.hpp"
#include "config/environment.hpp"

namespace makegood::cli {

Result<std::unique_ptr<Client>> open_http_client(const std::string& url, const Program& program,
                                                 const config::Environment& environment);

/// Where the doors of daemons on this machine may be, as the configuration says.
std::vector<std::string> door_folders_of(const Program& program, const config::Environment& environment);

}  // namespace makegood::cli
