#include "transports/http/secret_places.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace makegood::http {
namespace {

constexpr std::string_view file_prefix = "file:";

std::string real_path_of(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real == nullptr ? std::string() : std::string(real.get());
}

bool is_at_or_below(std::string_view path, std::string_view place) {
  return !place.empty() && path.starts_with(place) && (path.size() == place.size() || path.at(place.size()) == '/');
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

bool is_really_in(std::string_view real_path, std::span<const std::string> places) {
  return std::ranges::any_of(places, [&](const std::string& place) {
    return place.starts_with(file_prefix) && is_at_or_below(real_path, real_path_of(place.substr(file_prefix.size())));
  });
}

}  // namespace makegood::http
