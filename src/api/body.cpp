#include "api/body.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/mistakes.hpp"

namespace makegood::api {
namespace {

bool has_body(std::string_view method) { return method == "POST" || method == "PUT"; }

/// `application/json`, whatever its parameters say.
bool is_json_type(std::string_view content_type) {
  std::string type(content_type.substr(0, content_type.find(';')));
  while (type.ends_with(' ')) type.pop_back();
  std::ranges::transform(type, type.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; });
  return type == "application/json";
}

}  // namespace

std::optional<Answer> objection_to_body(const Call& call) {
  if (!has_body(call.method)) return std::nullopt;
  if (!is_json_type(call.content_type)) {
    return problem(415, {Errc::invalid, fmt::format("The content type is '{}'; allowed: application/json.",
                                                    shown(call.content_type))});
  }
  if (call.body.empty())
    return problem(Error{Errc::invalid, "The body is missing; send {} if there is nothing to say."});
  return std::nullopt;
}

}  // namespace makegood::api
