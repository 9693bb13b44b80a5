#include "api/route_table.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/path.hpp"

namespace makegood::api {
namespace {

bool is_parameter(std::string_view part) { return part.starts_with('{'); }

/// Two paths walked side by side. This happens for each row of the table at each call, so it allocates nothing.
class SideBySide {
 public:
  SideBySide(std::string_view path_template, std::string_view path) : template_(path_template), path_(path) {}

  /// False when one of them has ended.
  bool next() {
    if (template_.empty() || path_.empty()) return false;
    wanted = take(template_);
    part = take(path_);
    return true;
  }
  bool have_both_ended() const { return template_.empty() && path_.empty(); }

  std::string_view wanted = {};
  std::string_view part = {};

 private:
  /// What is between this slash and the next.
  static std::string_view take(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('/', 1), rest.size());
    const std::string_view part = rest.substr(1, end - 1);
    rest.remove_prefix(end);
    return part;
  }

  std::string_view template_;
  std::string_view path_;
};

bool is_match(std::string_view path_template, std::string_view path) {
  SideBySide both(path_template, path);
  while (both.next()) {
    if (both.part.empty() || (!is_parameter(both.wanted) && both.wanted != both.part)) return false;
  }
  return both.have_both_ended();
}

/// Nothing: an escape is wrong.
std::optional<std::map<std::string, std::string, std::less<>>> parameters_in(std::string_view path_template,
                                                                             std::string_view path) {
  std::map<std::string, std::string, std::less<>> parameters;
  SideBySide both(path_template, path);
  while (both.next()) {
    if (!is_parameter(both.wanted)) continue;
    auto decoded = percent_decoded(both.part);
    if (!decoded) return std::nullopt;
    parameters.emplace(both.wanted.substr(1, both.wanted.size() - 2), *std::move(decoded));
  }
  return parameters;
}

}  // namespace

std::variant<FoundRoute, NoSuchPath, OtherMethods> find_route(std::string_view method, std::string_view path) {
  if (!path.starts_with('/')) return NoSuchPath{};
  OtherMethods others;
  for (const Operation* operation : operations()) {
    if (!is_match(operation->path, path)) continue;
    if (operation->method != method) {
      others.allowed.emplace_back(operation->method);
      continue;
    }
    auto parameters = parameters_in(operation->path, path);
    if (!parameters) return NoSuchPath{.is_bad_escape = true};
    return FoundRoute{.operation = operation, .parameters = *std::move(parameters)};
  }
  if (others.allowed.empty()) return NoSuchPath{};
  return others;
}

std::vector<RouteView> routes() {
  std::vector<RouteView> views;
  for (const Operation* each : operations()) views.push_back({each->method, each->path, each->role});
  return views;
}

bool may(Role has, Role needed) {
  using enum Role;
  if (needed == anyone) return true;
  switch (has) {
    case anyone:
      return false;
    case operate:
      return true;
    case viewer:
      return needed == viewer || needed == metrics;
    case producer:
    case metrics:
      return has == needed;
  }
  std::unreachable();
}

Role role_for(std::string_view method, std::string_view path) {
  const auto found = find_route(method, path);
  const auto* route = std::get_if<FoundRoute>(&found);
  return route == nullptr ? Role::viewer : route->operation->role;
}

}  // namespace makegood::api
