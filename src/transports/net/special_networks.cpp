// What kind of network an address lies in: the special-purpose registries of IANA for IPv4 and IPv6, and the addresses
// at which clouds hand credentials to whoever asks.
#include <algorithm>
#include <string_view>
#include <vector>

#include "makegood/spi/assert.hpp"
#include "transports/net/address.hpp"

namespace makegood::net {
namespace {

struct SpecialNetwork {
  std::string_view block;
  Network network;
};

/// The first that contains an address counts.
constexpr SpecialNetwork special_networks[] = {
    // Metadata services and what stands beside them. Most are link-local; these lie in other networks.
    {"100.100.100.200/32", Network::forbidden},      // Alibaba
    {"168.63.129.16/32", Network::forbidden},        // Azure: looks public, is the host's own agent
    {"fd00:ec2::/32", Network::forbidden},           // AWS: metadata, credentials of pods, time, names
    {"fd20:ce::254/128", Network::forbidden},        // Google
    {"fd00:c1::a9fe:a9fe/128", Network::forbidden},  // Oracle
    {"fd00:42::42/128", Network::forbidden},         // Scaleway

    // IPv4.
    {"0.0.0.0/8", Network::forbidden},  // this host
    {"10.0.0.0/8", Network::enclosed},
    {"100.64.0.0/10", Network::enclosed},  // shared by carriers, and by clouds for pods
    {"127.0.0.0/8", Network::enclosed},
    {"169.254.0.0/16", Network::forbidden},  // link-local, with nearly all metadata services
    {"172.16.0.0/12", Network::enclosed},
    {"192.0.0.0/24", Network::forbidden},     // protocols; Oracle's old metadata service is 192.0.0.192
    {"192.0.2.0/24", Network::forbidden},     // documentation
    {"192.31.196.0/24", Network::forbidden},  // AS112
    {"192.52.193.0/24", Network::forbidden},  // AMT
    {"192.88.99.0/24", Network::forbidden},   // relays of 6to4
    {"192.168.0.0/16", Network::enclosed},
    {"192.175.48.0/24", Network::forbidden},  // AS112
    {"198.18.0.0/15", Network::enclosed},     // benchmarks: laboratories and local proxies use it as private
    {"198.51.100.0/24", Network::forbidden},  // documentation
    {"203.0.113.0/24", Network::forbidden},   // documentation
    {"224.0.0.0/4", Network::forbidden},      // multicast
    {"240.0.0.0/4", Network::forbidden},      // reserved, and broadcast
    {"0.0.0.0/0", Network::open},

    // IPv6. An address with another one inside is refused whatever that is, but for NAT64 (see below): nobody needs the
    // disguise.
    {"::1/128", Network::enclosed},
    {"2001::/23", Network::forbidden},          // protocols: Teredo, benchmarks, ORCHID
    {"2001:db8::/32", Network::forbidden},      // documentation
    {"2002::/16", Network::forbidden},          // 6to4
    {"2620:4f:8000::/48", Network::forbidden},  // AS112
    {"3fff::/20", Network::forbidden},          // documentation
    {"2000::/3", Network::open},
    {"fc00::/7", Network::enclosed},  // unique local
    // Not given to anybody yet, or special: unspecified, mapped, compatible and translated IPv4, NAT64 with a prefix of
    // its own, discard-only, segment routing, link-local, site-local, multicast.
    {"::/0", Network::forbidden},
};

struct Judged {
  AddressBlock block;
  Network network;
};

AddressBlock must_parse(std::string_view text) {
  const std::optional<AddressBlock> block = parse_block(text);
  MAKEGOOD_ASSERT(block);
  return *block;
}

std::vector<Judged> judge_all() {
  std::vector<Judged> all;
  for (const auto& [block, network] : special_networks) all.push_back({must_parse(block), network});
  return all;
}

Network look_up(const Address& address) {
  static const std::vector<Judged> table = judge_all();
  const auto found = std::ranges::find_if(table, [&](const Judged& one) { return contains(one.block, address); });
  MAKEGOOD_ASSERT(found != table.end());
  return found->network;
}

/// The IPv4 address at the end.
Address inner(const Address& address) {
  Address v4;
  std::copy_n(address.bytes.begin() + 12, 4, v4.bytes.begin());
  return v4;
}

}  // namespace

Network network_of(const Address& address) {
  static const AddressBlock nat64 = must_parse("64:ff9b::/96");
  if (!contains(nat64, address)) return look_up(address);
  // In a network without IPv4 the name server gives out every public IPv4 address like this; no private one (RFC 6052).
  return look_up(inner(address)) == Network::open ? Network::open : Network::forbidden;
}

}  // namespace makegood::net
