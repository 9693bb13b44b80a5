#include "base/masked_url.hpp"

#include <algorithm>

namespace makegood {
namespace {

constexpr std::string_view mask = "***";

/// Also `sslpassword=`.
void mask_passwords_in_query(std::string& url) {
  constexpr std::string_view name = "password=";
  const std::size_t query = url.find('?');
  if (query == std::string::npos) return;
  for (std::size_t at = url.find(name, query); at != std::string::npos; at = url.find(name, at)) {
    at += name.size();
    const std::size_t end = std::min(url.find_first_of("&#", at), url.size());
    url.replace(at, end - at, mask);
  }
}

}  // namespace

std::string masked_url(std::string_view url) {
  std::string result(url);
  mask_passwords_in_query(result);
  const std::size_t slashes = result.find("//");
  if (slashes == std::string::npos) return result;
  // Up to the last @, because passwords with an @, a / or a ? that nobody has encoded do exist.
  const std::size_t at = result.rfind('@');
  if (at != std::string::npos && at > slashes) result.replace(slashes + 2, at - slashes - 2, mask);
  return result;
}

}  // namespace makegood
