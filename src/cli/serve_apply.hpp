// `serve --apply`: destinations and routes of files, made so once the stores are there.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "api/api.hpp"
#include "config/environment.hpp"
#include "observe/log.hpp"

namespace makegood::cli {

struct ApplyAtStart {
  std::vector<std::string> paths;
  config::Environment environment;
};

/// Tries again while the store or the lane's owner is away; anything else that is wrong is told, and given up.
void apply_at_start(const ApplyAtStart& wanted, const api::Surroundings& surroundings, observe::Log& log,
                    const std::stop_token& stop);

}  // namespace makegood::cli
