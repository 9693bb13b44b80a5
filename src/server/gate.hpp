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
  std::string_view operator_name = {};  ///< What a caller without a token calls himself.
};

struct LetIn {
  std::string operator_name;
};

/// `/healthz` and `/readyz`: for whoever watches over the process, without a token.
bool is_health_path(std::string_view path);

class Gate {
 public:
  /// Refused: an address that others can reach, without a token.
  static Result<Gate> open(std::vector<Token> tokens, Address listen);
  std::variant<LetIn, api::Answer> judge(const Head& head) const;

 private:
  Gate(std::vector<Token> tokens, Address listen) : tokens_(std::move(tokens)), listen_(std::move(listen)) {}
  std::variant<LetIn, api::Answer> judge_neighbour(const Head& head) const;
  std::variant<LetIn, api::Answer> judge_token(const Head& head) const;

  std::vector<Token> tokens_;
  Address listen_;
};

}  // namespace makegood::server
