// The smallest HTTP client there is, for the control URL of the zoo: not the one that is being tested.
#pragma once

#include <string>

namespace makegood::testing_support {

/// The body of the answer; throws when there is none, or when its status is not 200.
std::string ask_control(const std::string& url, const std::string& method, const std::string& path);

}  // namespace makegood::testing_support
