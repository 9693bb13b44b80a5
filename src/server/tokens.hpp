// Who may call: bearer tokens, compared so that the time taken tells nothing about them.
#pragma once

#include <string_view>
#include <vector>

#include "makegood/result.hpp"
#include "server/server.hpp"

namespace makegood::server {

/// The first word of a token, for sentences.
inline constexpr std::string_view token_roles = "operator|viewer|producer|metrics";

/// Each line, or each part between semicolons: `operator|viewer|producer|metrics NAME SECRET`. Empty lines and those
/// that begin with `#` are left out. `where` is the file or variable, for the error, in which no secret is ever shown.
Result<std::vector<Token>> parse_tokens(std::string_view text, std::string_view where);

/// Looks at every byte of `given`, whatever the secret is like.
bool is_same_secret(std::string_view given, std::string_view secret);
/// Null: none has this secret. All are compared, so that it takes as long for the first as for the last.
const Token* find_token(const std::vector<Token>& tokens, std::string_view given);
/// The secret in `Bearer SECRET`; empty when it is something else.
std::string_view bearer_secret(std::string_view authorization);

}  // namespace makegood::server
