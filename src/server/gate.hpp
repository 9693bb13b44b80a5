// Who is let in, decided by the head of a request alone: nobody uploads a body to be told that he may not.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/call.hpp"
#include "server/address.hpp"
#include "server/server.hpp"

namespace makegood::server {

/// What the decision needs of a request.
struct Head {
  std::string_view method;
  std::string_view path;
  std::string_view host = {};
  std::string_view origin = {};
  std::string_view authorization = {};
  std::string_view operator_name = {};  ///< What a caller calls himself, where no token tells.
  std::string_view user = {};           ///< Who calls over the Unix socket; the system vouches for it.
};

struct LetIn {
  std::string operator_name = {};
  api::Role role = api::Role::operate;
};

/// `/healthz` and `/readyz`: for whoever watches over the process, without a token.
bool is_health_path(std::string_view path);

class Gate {
 public:
  struct Rules {
    Address listen;
    std::vector<Token> tokens = {};
    std::string metrics_path = {};
    bool is_open_on_loopback = false;  ///< Without tokens, everybody on this machine may.
  };
  /// Refused: an address that others can reach, without a token.
  static Result<Gate> open(Rules rules);

  /// Whoever has this secret is an operator too; only on loopback.
  void admit(std::string secret);
  std::variant<LetIn, api::Answer> judge(const Head& head) const;

 private:
  using Verdict = std::variant<LetIn, api::Answer>;
  explicit Gate(Rules rules) : rules_(std::move(rules)) {}
  bool is_open() const;
  api::Role role_for(const Head& head) const;
  Verdict judge_neighbour(const Head& head) const;
  Verdict judge_secret(const Head& head) const;
  Verdict judge_token(const Head& head, const Token& token) const;

  Rules rules_;
  std::string local_secret_;  ///< Empty: there is none.
};

}  // namespace makegood::server
