#include "base/saga_url.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.hpp"

namespace makegood {
namespace {

constexpr std::string_view http_scheme = "http:";

std::string lowered(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

struct UrlParts {
  std::string scheme;
  std::string host = {};
  std::string port = {};
  std::string_view path = {};  ///< With its query. May be empty.
};

/// Nothing: there is somebody's name in it, or no host.
std::optional<UrlParts> parts_of(std::string_view url) {
  const std::size_t colon = url.find("://");
  if (colon == std::string_view::npos) return std::nullopt;
  UrlParts parts{.scheme = lowered(url.substr(0, colon))};
  const std::string_view rest = url.substr(colon + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  parts.path = rest.substr(authority.size());
  if (authority.find('@') != std::string_view::npos) return std::nullopt;
  const std::size_t bracket = authority.rfind(']');
  const std::size_t port = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  parts.host = lowered(authority.substr(0, port));
  if (port != std::string_view::npos) parts.port = authority.substr(port + 1);
  if (parts.port.empty()) parts.port = parts.scheme == "https" ? "443" : "80";
  return parts.host.empty() ? std::nullopt : std::optional(std::move(parts));
}

bool is_same_place(const UrlParts& left, const UrlParts& right) {
  return left.scheme == right.scheme && left.host == right.host && left.port == right.port;
}

/// What one server takes for a step up, and another for letters.
bool may_climb(std::string_view path) {
  path = path.substr(0, path.find_first_of("?#"));
  std::string plain = lowered(path);
  constexpr auto hidden = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"%2e", "."}, {"%2f", "/"}, {"%5c", "/"}, {"\\", "/"}});
  for (const auto& [written, meant] : hidden) {
    for (std::size_t at = plain.find(written); at != std::string::npos; at = plain.find(written, at)) {
      plain.replace(at, written.size(), meant);
    }
  }
  plain += '/';
  return plain.find("/../") != std::string::npos || plain.find("/./") != std::string::npos;
}

}  // namespace

bool is_whole_url(std::string_view uri) { return uri.starts_with("http://") || uri.starts_with("https://"); }

std::string problem_of_url(std::string_view url) {
  const auto parts = parts_of(url);
  if (!parts) return "is a URL without a host, or with a name or password in it; credentials belong to its destination";
  if (may_climb(parts->path)) return "is a URL with dots in its path that servers read differently";
  return {};
}

std::string url_for_actions(const Destination& destination) {
  if (!destination.name.starts_with(http_scheme) || !destination.tenant_id.empty()) return {};
  rapidjson::Document settings;
  settings.Parse<rapidjson::kParseIterativeFlag>(destination.settings.data(), destination.settings.size());
  if (settings.HasParseError() || !settings.IsObject()) return {};
  const json::Value* url = json::member(settings, "url");
  const bool is_plain =
      url != nullptr && url->IsString() && json::text_of(*url).find_first_of("?#") == std::string::npos;
  return is_plain ? json::text_of(*url) : std::string();
}

std::optional<std::string_view> path_below(std::string_view url, std::string_view base) {
  const auto wanted = parts_of(url);
  const auto known = parts_of(base);
  if (!wanted || !known || !is_same_place(*wanted, *known)) return std::nullopt;
  const std::string_view path = wanted->path;
  std::string below(known->path);
  const bool is_itself = path == below || (path.size() + below.size() == 1);  // Without a path is with `/`.
  if (is_itself) return std::string_view();
  if (!below.ends_with('/')) below += '/';
  if (path.size() <= below.size() || !path.starts_with(below)) return std::nullopt;
  return path.substr(below.size());
}

std::optional<std::size_t> longest_below(std::string_view url, std::span<const std::string> bases) {
  std::optional<std::size_t> longest;
  for (std::size_t i = 0; i < bases.size(); ++i) {
    if (bases[i].empty() || !path_below(url, bases[i])) continue;
    if (!longest || bases[i].size() > bases[*longest].size()) longest = i;
  }
  return longest;
}

}  // namespace makegood
