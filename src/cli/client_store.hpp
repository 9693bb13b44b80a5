// Calls that are answered in this process, on a store.
#pragma once

#include <memory>

#include "cli/client.hpp"

namespace makegood::cli {

Result<std::unique_ptr<Client>> open_store_client(const Program& program);

}  // namespace makegood::cli
