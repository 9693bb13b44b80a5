#include "server/route_labels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/api.hpp"

namespace makegood::server {
namespace {

std::string_view next_segment(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('/', 1), rest.size());
  const std::string_view segment = rest.substr(0, end);
  rest.remove_prefix(end);
  return segment;
}

/// Segment by segment; one in braces stands for any.
bool is_route(std::string_view pattern, std::string_view path) {
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = next_segment(pattern);
    const std::string_view given = next_segment(path);
    if (!wanted.starts_with("/{") && wanted != given) return false;
  }
  return pattern.empty() && path.empty();
}

}  // namespace

RouteLabels::RouteLabels(const std::string& metrics_path) {
  for (const std::string_view path : {"/healthz", "/readyz", "/metrics", "/api/events"}) add("GET", path);
  if (!metrics_path.empty()) add("GET", metrics_path);
  for (const api::RouteView& route : api::routes()) add(route.method, route.path);
  labels_.emplace_back(R"(method="other",route="other")");
}

void RouteLabels::add(std::string_view method, std::string_view path) {
  const auto is_same = [&](const Route& route) { return route.method == method && route.path == path; };
  if (std::ranges::any_of(routes_, is_same)) return;
  routes_.push_back({std::string(method), std::string(path)});
  labels_.push_back(fmt::format(R"(method="{}",route="{}")", method, path));
}

std::size_t RouteLabels::find(std::string_view method, std::string_view path) {
  const auto fits = [&](const Route& route) { return route.method == method && is_route(route.path, path); };
  if (last_found_ < routes_.size() && fits(routes_[last_found_])) return last_found_;
  last_found_ = static_cast<std::size_t>(std::ranges::find_if(routes_, fits) - routes_.begin());
  return last_found_;
}

}  // namespace makegood::server
