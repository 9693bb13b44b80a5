// Words of a shell's command, in what is advised.
#pragma once

#include <string>

namespace makegood::api {

/// As it is, or in quotes.
std::string shell_word(const std::string& text);

}  // namespace makegood::api
