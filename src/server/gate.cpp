#include "server/gate.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/texts.hpp"
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

/// A browser is on this machine too, and does what pages from elsewhere tell it.
std::optional<api::Answer> refuse_other_sites(const Head& head, const Address& listen) {
  if (!is_host_ours(head.host, listen)) {
    return forbidden("Only calls to localhost are answered here, and the Host header names another; call 127.0.0.1.");
  }
  if (!head.origin.empty() && !is_origin_of(head.origin, head.host)) {
    return forbidden("The Origin header names a page of another site; it may not call.");
  }
  return {};
}

constexpr Texts<api::Role, api::Role::operate> tasks{"do nothing", "read the metrics", "enqueue", "look",
                                                     "do everything"};
constexpr Texts<api::Role, api::Role::operate> words{"anyone", "metrics", "producer", "viewer", "operator"};

}  // namespace

bool is_health_path(std::string_view path) { return path == "/healthz" || path == "/readyz"; }

Result<Gate> Gate::open(Rules rules) {
  if (rules.tokens.empty() && !rules.listen.is_loopback) {
    return Error{Errc::config_invalid,
                 fmt::format("Others can reach {}, and there is no token: set server.token_file or MAKEGOOD_TOKENS to "
                             "lines `{} NAME SECRET`, or listen on 127.0.0.1.",
                             to_string(rules.listen), token_roles)};
  }
  return Gate(std::move(rules));
}

void Gate::admit(std::string secret) {
  if (rules_.listen.is_loopback) local_secret_ = std::move(secret);
}

bool Gate::is_open() const { return rules_.is_open_on_loopback && rules_.listen.is_loopback && rules_.tokens.empty(); }

std::variant<LetIn, api::Answer> Gate::judge(const Head& head) const {
  if (is_health_path(head.path)) return LetIn{};
  if (role_for(head) == api::Role::anyone) return LetIn{.role = api::Role::anyone};
  if (!head.user.empty()) return LetIn{.operator_name = std::string(head.user)};
  return is_open() ? judge_neighbour(head) : judge_secret(head);
}

std::variant<LetIn, api::Answer> Gate::judge_neighbour(const Head& head) const {
  if (auto refusal = refuse_other_sites(head, rules_.listen)) return *std::move(refusal);
  return LetIn{.operator_name = std::string(head.operator_name.substr(0, name_bytes_max))};
}

std::variant<LetIn, api::Answer> Gate::judge_secret(const Head& head) const {
  const std::string_view secret = bearer_secret(head.authorization);
  const bool is_local = is_same_secret(secret, local_secret_);
  const Token* token = find_token(rules_.tokens, secret);
  if (token != nullptr) return judge_token(head, *token);
  if (is_local) return judge_neighbour(head);
  if (secret.empty()) {
    return unauthorized(
        "A token is needed: send the header `Authorization: Bearer SECRET`. Whoever runs the server gets one with "
        "`makegood token`.");
  }
  return unauthorized("This token is not known; ask who runs the server for one.");
}

std::variant<LetIn, api::Answer> Gate::judge_token(const Head& head, const Token& token) const {
  const api::Role needed = role_for(head);
  if (!api::may(token.role, needed)) {
    return forbidden(fmt::format("This token may only {}; the call needs one of the role {}.", tasks.of(token.role),
                                 words.of(needed)));
  }
  return LetIn{.operator_name = token.name, .role = token.role};
}

/// The metrics may have a path of their own.
api::Role Gate::role_for(const Head& head) const {
  const bool is_metrics = !rules_.metrics_path.empty() && head.path == rules_.metrics_path;
  return is_metrics ? api::Role::metrics : api::role_for(head.method, head.path);
}

}  // namespace makegood::server
