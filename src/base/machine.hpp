// Which machine this process runs on.
#pragma once

#include <string>

namespace makegood {

/// A digest of the machine's id, which itself is not to be shown to others. Empty where there is none, and in a
/// container: there it belongs to the image, and the same container may run on another machine tomorrow. `root` is for
/// tests.
std::string machine_digest(const std::string& root = "/");

}  // namespace makegood
