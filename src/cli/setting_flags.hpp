// Settings of a transport or a source, said with flags.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "api/json_out.hpp"
#include "base/transports.hpp"
#include "makegood/result.hpp"

namespace makegood::cli {

void add_setting(CLI::App& verb, const SettingFlag& setting, std::vector<std::string>& said);
/// What was said, which is not empty, as a member of the settings.
Result<> put_setting(api::Writer& writer, const SettingFlag& setting, const std::vector<std::string>& said);

}  // namespace makegood::cli
