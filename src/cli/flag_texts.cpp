#include "cli/flag_texts.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <iterator>

#include "api/json_value.hpp"
#include "config/mistake.hpp"
#include "config/quantity.hpp"

namespace makegood::cli {

Result<Pairs> pairs_of(const std::vector<std::string>& settings) {
  Pairs pairs;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{Errc::invalid, fmt::format("'{}' is not of the form NAME=VALUE.", config::printable(setting))};
    }
    pairs.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return pairs;
}

Result<Duration> duration_in(std::string_view flag, const std::string& text) {
  const auto duration = config::parse_duration(text);
  if (duration) return *duration;
  return Error{Errc::invalid,
               fmt::format("{} '{}' is no duration; write 500ms, 10s or 1m.", flag, config::printable(text))};
}

Result<std::string> json_argument(const std::string& text) {
  std::string json = text;
  if (text == "-") json.assign(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  if (text.starts_with('@')) {
    std::ifstream file(text.substr(1), std::ios::binary);
    json.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (!file) return Error{Errc::invalid, fmt::format("{} cannot be read.", config::printable(text.substr(1)))};
  }
  if (!api::is_json(json)) {
    return Error{Errc::invalid, "The input is not JSON; write it in quotes: --input '{\"userId\": 1001}'."};
  }
  return json;
}

}  // namespace makegood::cli
