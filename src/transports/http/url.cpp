#include "transports/http/url.hpp"

#include <curl/urlapi.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "transports/http/curl_url.hpp"
#include "transports/net/address.hpp"

namespace makegood::http {
namespace {

constexpr std::size_t url_bytes_max = 8192;
constexpr std::size_t host_bytes_max = 253;
constexpr std::size_t label_bytes_max = 63;

Error bad_url(std::string message) { return {Errc::invalid, std::move(message)}; }

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }
bool is_of_a_name(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '_' || c == '.'; }

std::string lowered(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) { return lowered(c); });
  return result;
}

Result<> check_characters(std::string_view text) {
  if (text.size() > url_bytes_max) return bad_url(fmt::format("The URL is longer than {} bytes.", url_bytes_max));
  for (const char c : text) {
    // libcurl would convert a host to its xn-- form by the locale of the process: not everywhere to the same name.
    if (static_cast<unsigned char>(c) >= 0x80) {
      return bad_url("The URL has characters that are not ASCII: write its host in the xn-- form and the rest with %.");
    }
    if (c <= ' ' || c == 0x7f) return bad_url("The URL has a space or a control character in it: write it with %.");
    if (c == '\\') return bad_url("The URL has a backslash in it: write it with %.");
  }
  return {};
}

/// libcurl also reads one slash, or three, and takes what comes then for the host; others read that as a path.
Result<> check_scheme(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (lowered(text.substr(0, scheme.size())) != scheme) continue;
    if (text.substr(scheme.size()).starts_with('/')) break;
    return {};
  }
  return bad_url("The URL does not begin with http:// or https:// and a host.");
}

/// `%2e%2e` is `..` to many servers but not to us, so a prefix that was allowed would not hold.
bool has_hidden_dots(std::string path) {
  path = lowered(path);
  for (std::size_t at = path.find("%2e"); at != std::string::npos; at = path.find("%2e", at)) path.replace(at, 3, ".");
  path += '/';
  return path.contains("/../") || path.contains("/./");
}

/// `256.1.1.1`, `08.1`, `0x`: libcurl takes them for names because they are no addresses, others may not.
bool ends_like_an_address(std::string_view host) {
  std::string_view last = host.substr(host.rfind('.') + 1);  // The whole when there is no dot.
  if (std::ranges::all_of(last, is_digit)) return true;
  return last.starts_with("0x") && std::ranges::all_of(last.substr(2), is_hex_digit);
}

bool has_bad_label(std::string_view host) {
  while (true) {
    const std::size_t dot = host.find('.');
    const std::size_t length = std::min(dot, host.size());
    if (length == 0 || length > label_bytes_max) return true;
    if (dot == std::string_view::npos) return false;
    host.remove_prefix(dot + 1);
  }
}

Result<> check_name(std::string_view host) {
  const bool is_name = host.size() <= host_bytes_max && std::ranges::all_of(host, is_of_a_name) && !has_bad_label(host);
  if (!is_name) return bad_url("The URL's host is neither a name nor an address.");
  if (ends_like_an_address(host))
    return bad_url("The URL's host looks like an IPv4 address, but is not written as one.");
  return {};
}

/// In the one form that it has in `Url`.
Result<std::string> canonical_host(const CurlUrl& url) {
  if (!url.get(CURLUPART_ZONEID).empty()) return bad_url("The URL's host has a zone, which means nothing elsewhere.");
  std::string host = lowered(url.get(CURLUPART_HOST));
  const bool is_v6 = host.starts_with('[') && host.ends_with(']');
  const std::optional<Address> address = parse_address(is_v6 ? host.substr(1, host.size() - 2) : host);
  if (address) return to_string(*address);
  if (host.ends_with('.')) host.pop_back();  // `localhost.` is `localhost`, also for those who look at the name.
  MAKEGOOD_TRY(check_name(host));
  return host;
}

Result<> replace_host(CurlUrl& url, const std::string& host) {
  const bool is_v6 = host.contains(':');
  return url.set(CURLUPART_HOST, is_v6 ? ('[' + host + ']').c_str() : host.c_str());
}

Result<std::uint16_t> port_of(const CurlUrl& url) {
  const std::string digits = url.get(CURLUPART_PORT, CURLU_DEFAULT_PORT);
  std::uint16_t port = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (port == 0) return bad_url("The URL's port is not one: it is between 1 and 65535.");
  return port;
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  MAKEGOOD_TRY(check_characters(text));
  MAKEGOOD_TRY(check_scheme(text));
  CurlUrl url = MAKEGOOD_TRY(CurlUrl::from(std::string(text)));
  if (has_hidden_dots(url.get(CURLUPART_PATH))) return bad_url("The URL's path has dots that are written with %.");

  const std::string host = MAKEGOOD_TRY(canonical_host(url));
  const std::uint16_t port = MAKEGOOD_TRY(port_of(url));
  MAKEGOOD_TRY(replace_host(url, host));
  MAKEGOOD_TRY(url.set(CURLUPART_FRAGMENT, nullptr));
  return Url{.text = url.get(CURLUPART_URL, CURLU_NO_DEFAULT_PORT),
             .host = host,
             .port = port,
             .is_https = url.get(CURLUPART_SCHEME) == "https",
             .literal = parse_address(host)};
}

std::string shown(const Url& url) { return url.text.substr(0, url.text.find_first_of("?#")); }

}  // namespace makegood::http
