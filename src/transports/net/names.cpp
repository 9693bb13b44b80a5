#include "transports/net/names.hpp"

#include <algorithm>

#include "transports/net/address.hpp"

namespace makegood::net {
namespace {

/// The short forms (`metadata`, `instance-data`) are not here: an operator's own service may be called so, and for a
/// tenant they are private anyway. The addresses of all of them are refused as well.
constexpr std::string_view metadata_services[] = {
    "metadata.google.internal", "metadata.goog",           "instance-data.ec2.internal", "metadata.platformequinix.com",
    "metadata.packet.net",      "metadata.tencentyun.com", "metadata.azure.internal",
};

constexpr std::string_view own_names[] = {"localhost",  "localhost.localdomain", "localhost4",
                                          "localhost6", "ip6-localhost",         "ip6-loopback"};

/// RFC 6762 (with its appendix G), RFC 8375, and what ICANN has set aside for private use.
constexpr std::string_view private_endings[] = {
    ".internal", ".local", ".localdomain", ".lan", ".home", ".home.arpa", ".corp", ".intranet", ".private",
};

bool is_below(std::string_view host, std::string_view name) {
  return host == name || (host.ends_with(name) && host[host.size() - name.size() - 1] == '.');
}

}  // namespace

NameKind kind_of_name(std::string_view host) {
  const auto is_at_or_below = [&](std::string_view name) { return is_below(host, name); };
  if (std::ranges::any_of(metadata_services, is_at_or_below)) return NameKind::metadata;
  if (std::ranges::any_of(own_names, is_at_or_below)) return NameKind::this_machine;
  if (parse_address(host)) return NameKind::any;
  const bool ends_so =
      std::ranges::any_of(private_endings, [&](std::string_view ending) { return host.ends_with(ending); });
  return ends_so || !host.contains('.') ? NameKind::enclosed : NameKind::any;
}

}  // namespace makegood::net
