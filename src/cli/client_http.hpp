// Calls that travel to a server, with libcurl.
#pragma once

#include <memory>
#include <string>

#include "cli/client.hpp"
#include "config/environment.hpp"

namespace makegood::cli {

Result<std::unique_ptr<Client>> open_http_client(const std::string& url, const Program& program,
                                                 const config::Environment& environment);

}  // namespace makegood::cli
