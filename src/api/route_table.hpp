// Which operation a method and a path lead to.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/operation.hpp"

namespace makegood::api {

struct FoundRoute {
  const Operation* operation = nullptr;
  std::map<std::string, std::string, std::less<>> parameters = {};
};
struct NoSuchPath {
  bool is_bad_escape = false;
};
struct OtherMethods {
  std::vector<std::string> allowed = {};
};
std::variant<FoundRoute, NoSuchPath, OtherMethods> find_route(std::string_view method, std::string_view path);

}  // namespace makegood::api
