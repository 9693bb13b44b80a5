#include "server/gate.hpp"

#include <fmt/format.h>

#include "server/tokens.hpp"

namespace makegood::server {
namespace {

constexpr std::size_t name_bytes_max = 128;

api::Answer forbidden(std::string sentence) { return api::problem(403, {Errc::invalid, std::move(sentence)}); }

api::Answer unauthorized(std::string sentence) {
  api::Answer answer = api::problem(401, {Errc::invalid, std::move(sentence)});
  answer.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"makegood\"");
  return answer;
}

}  // namespace

bool is_health_path(std::string_view path) { return path == "/healthz" || path == "/readyz"; }

Result<Gate> Gate::open(std::vector<Token> tokens, Address listen) {
  if (tokens.empty() && !listen.is_loopback) {
    return Error{Errc::config_invalid,
                 fmt::format("Others can reach {}, and there is no token: set server.token_file or MAKEGOOD_TOKENS to "
                             "lines `viewer|operator NAME SECRET`, or listen on 127.0.0.1.",
                             to_string(listen))};
  }
  return Gate(std::move(tokens), std::move(listen));
}

std::variant<LetIn, api::Answer> Gate::judge(const Head& head) const {
  if (is_health_path(head.path)) return LetIn{};
  return tokens_.empty() ? judge_neighbour(head) : judge_token(head);
}

/// Everything on this machine may; but a browser is on this machine too, and does what pages from elsewhere tell it.
std::variant<LetIn, api::Answer> Gate::judge_neighbour(const Head& head) const {
  if (!is_host_ours(head.host, listen_)) {
    return forbidden(
        "Without tokens only calls to localhost are answered, and the Host header names another; set a "
        "token, or call 127.0.0.1.");
  }
  if (!head.origin.empty() && !is_origin_of(head.origin, head.host)) {
    return forbidden("The Origin header names a page of another site; set a token if it is meant to call.");
  }
  return LetIn{.operator_name = std::string(head.operator_name.substr(0, name_bytes_max))};
}

std::variant<LetIn, api::Answer> Gate::judge_token(const Head& head) const {
  const std::string_view secret = bearer_secret(head.authorization);
  if (secret.empty()) return unauthorized("A token is needed: send the header `Authorization: Bearer SECRET`.");
  const Token* token = find_token(tokens_, secret);
  if (token == nullptr) return unauthorized("This token is not known; ask who runs the server for one.");
  if (token->role == api::Role::viewer && api::role_for(head.method, head.path) == api::Role::operate) {
    return forbidden("This token may only look; the call needs one of an operator.");
  }
  return LetIn{.operator_name = token->name};
}

}  // namespace makegood::server
