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

/// As mask_passwords_in_query, and takes the whole parameter away.
void drop_passwords_from_query(std::string& url) {
  constexpr std::string_view name = "password=";
  const std::size_t query = url.find('?');
  if (query == std::string::npos) return;
  for (std::size_t at = url.find(name, query); at != std::string::npos; at = url.find(name, query)) {
    const std::size_t begin = url.find_last_of("?&", at);
    const std::size_t end = std::min(url.find_first_of("&#", at), url.size());
    const bool has_next = end < url.size() && url[end] == '&';
    url.erase(begin + (has_next ? 1 : 0), end - begin);
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

std::string url_without_password(std::string_view url) {
  std::string result(url);
  drop_passwords_from_query(result);
  const std::size_t slashes = result.find("//");
  if (slashes == std::string::npos) return result;
  const std::size_t begin = slashes + 2;
  const std::size_t at = result.rfind('@');
  if (at == std::string::npos || at < begin) return result;
  const std::string whole = result.substr(begin, at - begin);
  const std::string user = whole.substr(0, whole.find(':'));
  if (user.find_first_of("/?#&=@") != std::string::npos) return masked_url(url);
  return result.replace(begin, at - begin, user);
}

}  // namespace makegood
