// Who may read a file.
#pragma once

#include <string>

namespace makegood {

/// Whether its mode lets everybody on this machine read it; false when it cannot be told.
bool may_everybody_read(const std::string& path);
/// A warning with what to do, for a file that holds a secret.
std::string everybody_reads(const std::string& path);

}  // namespace makegood
