#include "daemon/tokens.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "server/tokens.hpp"

namespace makegood::daemon {

Result<std::vector<server::Token>> load_tokens(const std::string& file, const config::Environment& environment) {
  std::vector<server::Token> tokens;
  if (!file.empty()) {
    std::ifstream stream(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (!stream) {
      return Error{Errc::config_invalid, fmt::format("server.token_file names {}, which cannot be read.", file)};
    }
    tokens = MAKEGOOD_TRY(server::parse_tokens(text, file));
    if (tokens.empty()) {
      return Error{Errc::config_invalid,
                   fmt::format("{} has no token; write lines `{} NAME SECRET`.", file, server::token_roles)};
    }
  }
  for (const auto& [variable, value] : environment) {
    if (variable != "MAKEGOOD_TOKENS") continue;
    for (server::Token& token : MAKEGOOD_TRY(server::parse_tokens(value, variable))) tokens.push_back(std::move(token));
  }
  return tokens;
}

}  // namespace makegood::daemon
