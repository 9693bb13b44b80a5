#include "config/config.hpp"

#include <fmt/format.h>

#include <utility>

namespace makegood::config {
namespace {

std::string place_in_file(const Origin& origin) {
  if (origin.line == 0) return origin.name;
  if (origin.column == 0) return fmt::format("{}:{}", origin.name, origin.line);
  return fmt::format("{}:{}:{}", origin.name, origin.line, origin.column);
}

}  // namespace

std::string to_string(const Origin& origin) {
  switch (origin.kind) {
    case Origin::Kind::built_in:
      return "default";
    case Origin::Kind::kubernetes:
      return "cluster and namespace";
    case Origin::Kind::file:
      return place_in_file(origin);
    case Origin::Kind::environment:
      return "environment " + origin.name;
    case Origin::Kind::flag:
      return "flag " + origin.name;
  }
  std::unreachable();
}

Origin origin_of(const Config& config, std::string_view key) {
  const auto found = config.origins.find(key);
  return found == config.origins.end() ? Origin{} : found->second;
}

}  // namespace makegood::config
