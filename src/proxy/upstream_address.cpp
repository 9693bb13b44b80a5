#include "proxy/upstream_address.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/masked_url.hpp"

namespace makegood::proxy {

Result<UpstreamAddress> parse_upstream(std::string_view url) {
  constexpr std::string_view scheme = "http://";
  const Error wrong{Errc::config_invalid,
                    fmt::format("'{}' is no upstream; write http://HOST:PORT, without a path. TLS to the upstream is "
                                "not spoken here: put the proxy beside it.",
                                masked_url(std::string(url)))};
  if (!url.starts_with(scheme)) return wrong;
  url.remove_prefix(scheme.size());
  if (url.ends_with('/')) url.remove_suffix(1);
  if (url.empty() || url.find_first_of("/?#@") != url.npos) return wrong;
  const bool is_six = url.starts_with('[');
  const std::size_t end = is_six ? url.find(']') : url.find(':');
  if (is_six && end == url.npos) return wrong;
  const std::string_view host = is_six ? url.substr(1, end - 1) : url.substr(0, end);
  const std::string_view rest = is_six ? url.substr(end + 1) : url.substr(std::min(end, url.size()));
  const std::string_view port = rest.starts_with(':') ? rest.substr(1) : rest.empty() ? "80" : "";
  const bool is_number = !port.empty() && port.find_first_not_of("0123456789") == port.npos && port.size() <= 5;
  if (host.empty() || !is_number) return wrong;
  return UpstreamAddress{.host = std::string(host), .port = std::string(port)};
}

}  // namespace makegood::proxy
