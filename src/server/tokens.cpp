#include "server/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

namespace makegood::server {
namespace {

constexpr std::size_t secret_bytes_min = 16;
constexpr std::string_view blanks = " \t\r";

std::string_view next_word(std::string_view& rest) {
  const std::size_t begin = std::min(rest.find_first_not_of(blanks), rest.size());
  const std::size_t end = std::min(rest.find_first_of(blanks, begin), rest.size());
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

std::optional<api::Role> role_from(std::string_view word) {
  if (word == "metrics") return api::Role::metrics;
  if (word == "producer") return api::Role::producer;
  if (word == "viewer") return api::Role::viewer;
  if (word == "operator") return api::Role::operate;
  return {};
}

Error token_mistake(std::string_view where, std::size_t line, std::string_view problem) {
  return {Errc::config_invalid,
          fmt::format("{}, line {}: {}; write `{} NAME SECRET`.", where, line, problem, token_roles)};
}

bool is_secret_text(std::string_view secret) {
  return std::ranges::all_of(secret, [](char letter) { return letter > ' ' && letter < 0x7f; });
}

Result<Token> parse_token(std::string_view rest, std::string_view where, std::size_t line) {
  const auto role = role_from(next_word(rest));
  const std::string_view name = next_word(rest);
  const std::string_view secret = next_word(rest);
  if (!role) return token_mistake(where, line, "the first word is no role");
  if (secret.empty()) return token_mistake(where, line, "there are less than three words");
  if (!next_word(rest).empty()) return token_mistake(where, line, "there are more than three words");
  if (secret.size() < secret_bytes_min || !is_secret_text(secret)) {
    return token_mistake(where, line,
                         fmt::format("a secret has {} printable characters or more, as `openssl rand -hex 32` makes it",
                                     secret_bytes_min));
  }
  return Token{.secret = std::string(secret), .role = *role, .name = std::string(name)};
}

}  // namespace

Result<std::vector<Token>> parse_tokens(std::string_view text, std::string_view where) {
  std::vector<Token> tokens;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find_first_of("\n;"), text.size());
    std::string_view rest = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::string_view first = rest;
    first = next_word(first);
    if (first.empty() || first.starts_with('#')) continue;
    Token token = MAKEGOOD_TRY(parse_token(rest, where, line));
    if (std::ranges::find(tokens, token.secret, &Token::secret) != tokens.end()) {
      return token_mistake(where, line, "the secret is that of another line");
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

bool is_same_secret(std::string_view given, std::string_view secret) {
  if (secret.empty()) return false;
  // The caller knows how long his own text is: the time may depend on that and on nothing else.
  volatile unsigned difference = given.size() == secret.size() ? 0U : 1U;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto left = static_cast<unsigned char>(given[i]);
    const auto right = static_cast<unsigned char>(secret[i % secret.size()]);
    difference = difference | (static_cast<unsigned>(left) ^ right);
  }
  return difference == 0;
}

const Token* find_token(const std::vector<Token>& tokens, std::string_view given) {
  const Token* found = nullptr;
  for (const Token& token : tokens) {
    if (is_same_secret(given, token.secret)) found = &token;
  }
  return found;
}

std::string_view bearer_secret(std::string_view authorization) {
  constexpr std::string_view scheme = "bearer ";
  const auto lower = [](char letter) { return std::tolower(static_cast<unsigned char>(letter)); };
  if (!std::ranges::equal(authorization.substr(0, scheme.size()), scheme, {}, lower)) return {};
  std::string_view rest = authorization.substr(scheme.size());
  return next_word(rest);
}

}  // namespace makegood::server
