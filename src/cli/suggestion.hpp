// What a mistyped verb or flag was probably meant to be.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

namespace makegood::cli {

/// One sentence about the first word that the command line does not know and that is near to one that it knows; empty
/// when there is none. `words` are the arguments without the program's name.
std::string suggestion_for(const CLI::App& app, std::span<const std::string> words);

}  // namespace makegood::cli
