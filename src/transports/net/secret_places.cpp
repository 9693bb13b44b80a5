#include "transports/net/secret_places.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

namespace makegood::net {
namespace {

constexpr std::string_view file_prefix = "file:";
constexpr std::string_view tenant_placeholder = "{tenant}";

std::string real_path_of(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real == nullptr ? std::string() : std::string(real.get());
}

bool is_at_or_below(std::string_view path, std::string_view place) {
  return !place.empty() && path.starts_with(place) && (path.size() == place.size() || path.at(place.size()) == '/');
}

/// An id that would lead out of its folder has no secrets of its own.
bool is_folder_name(std::string_view tenant_id) {
  return !tenant_id.empty() && tenant_id != "." && tenant_id != ".." && tenant_id.find('/') == std::string_view::npos;
}

std::vector<std::string> for_tenant(const std::vector<std::string>& allowed, std::string_view tenant_id) {
  std::vector<std::string> beginnings;
  for (std::string beginning : allowed) {
    const std::size_t place = beginning.find(tenant_placeholder);
    if (place != std::string::npos && !is_folder_name(tenant_id)) continue;
    if (place != std::string::npos) beginning.replace(place, tenant_placeholder.size(), tenant_id);
    beginnings.push_back(std::move(beginning));
  }
  return beginnings;
}

}  // namespace

std::vector<std::string> secret_places(const HttpOptions& options) {
  std::vector<std::string> places = {"file:/run/secrets/", "env:MAKEGOOD_SECRET_"};
  const char* credentials = std::getenv("CREDENTIALS_DIRECTORY");
  if (credentials != nullptr && credentials[0] == '/') {
    places.push_back(std::string(file_prefix) + credentials + "/");
  }
  places.insert(places.end(), options.secret_places.begin(), options.secret_places.end());
  return places;
}

std::vector<std::string> places_for(std::string_view tenant_id, const HttpOptions& options) {
  return tenant_id.empty() ? secret_places(options) : for_tenant(options.tenant_secrets, tenant_id);
}

bool is_really_in(std::string_view real_path, std::span<const std::string> places) {
  return std::ranges::any_of(places, [&](const std::string& place) {
    return place.starts_with(file_prefix) && is_at_or_below(real_path, real_path_of(place.substr(file_prefix.size())));
  });
}

}  // namespace makegood::net
