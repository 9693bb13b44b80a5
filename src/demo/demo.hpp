// A shop, five endpoints with bad habits, and the real daemon between them, told as it happens.
#pragma once

#include <string>
#include <vector>

#include "makegood/result.hpp"

namespace makegood::demo {

struct DemoOptions {
  std::string folder = "makegood-demo";
  int seconds = 0;                             ///< 0: until it is interrupted.
  std::vector<std::string> door_folders = {};  ///< Where the daemon's door may be.
};

Result<> run_demo(DemoOptions options);

}  // namespace makegood::demo
