#include "transports/net/address.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <ostream>

namespace makegood::net {

static void PrintTo(const Address& address, std::ostream* stream) { *stream << to_string(address); }

namespace {

Address the(std::string_view text) { return parse_address(text).value(); }
Network network_at(std::string_view text) { return network_of(the(text)); }

void set_bit(Address& address, unsigned index, bool value) {
  const auto mask = static_cast<std::uint8_t>(0x80 >> index % 8);
  auto& byte = address.bytes[index / 8];
  byte = static_cast<std::uint8_t>(value ? byte | mask : byte & ~mask);
}

unsigned bits_in(const Address& address) { return address.is_v6 ? 128 : 32; }

Address last_of(const AddressBlock& block) {
  Address last = block.first;
  for (unsigned index = block.bits; index < bits_in(last); ++index) set_bit(last, index, true);
  return last;
}
/// Where its second half begins.
Address middle_of(const AddressBlock& block) {
  Address middle = block.first;
  if (block.bits < bits_in(middle)) set_bit(middle, block.bits, true);
  return middle;
}
Address before(Address address) {
  for (std::size_t at = bits_in(address) / 8; at-- > 0;) {
    if (address.bytes[at]-- != 0) break;
  }
  return address;
}
Address after(Address address) {
  for (std::size_t at = bits_in(address) / 8; at-- > 0;) {
    if (++address.bytes[at] != 0) break;
  }
  return address;
}

struct Case {
  std::string_view block;
  Network network;
  bool is_open_before;  ///< The address just before it, and the one just behind it.
  bool is_open_after;
};
using enum Network;

/// The registries, written down a second time, by hand.
constexpr Case cases[] = {
    {"0.0.0.0/8", forbidden, false, true},
    {"10.0.0.0/8", enclosed, true, true},
    {"100.64.0.0/10", enclosed, true, true},
    {"100.100.100.200/32", forbidden, false, false},
    {"127.0.0.0/8", enclosed, true, true},
    {"168.63.129.16/32", forbidden, true, true},
    {"169.254.0.0/16", forbidden, true, true},
    {"172.16.0.0/12", enclosed, true, true},
    {"192.0.0.0/24", forbidden, true, true},
    {"192.0.2.0/24", forbidden, true, true},
    {"192.31.196.0/24", forbidden, true, true},
    {"192.52.193.0/24", forbidden, true, true},
    {"192.88.99.0/24", forbidden, true, true},
    {"192.168.0.0/16", enclosed, true, true},
    {"192.175.48.0/24", forbidden, true, true},
    {"198.18.0.0/15", enclosed, true, true},
    {"198.51.100.0/24", forbidden, true, true},
    {"203.0.113.0/24", forbidden, true, true},
    {"224.0.0.0/4", forbidden, true, false},
    {"240.0.0.0/4", forbidden, false, false},
    {"255.255.255.255/32", forbidden, false, false},
    {"::/128", forbidden, false, false},
    {"::1/128", enclosed, false, false},
    {"::ffff:0:0/96", forbidden, false, false},
    {"::ffff:0:0:0/96", forbidden, false, false},
    {"64:ff9b:1::/48", forbidden, false, false},
    {"100::/64", forbidden, false, false},
    {"100:0:0:1::/64", forbidden, false, false},
    {"2001::/23", forbidden, true, true},
    {"2001::/32", forbidden, true, false},
    {"2001:2::/48", forbidden, false, false},
    {"2001:10::/28", forbidden, false, false},
    {"2001:20::/28", forbidden, false, false},
    {"2001:db8::/32", forbidden, true, true},
    {"2002::/16", forbidden, true, true},
    {"2620:4f:8000::/48", forbidden, true, true},
    {"3fff::/20", forbidden, true, true},
    {"5f00::/16", forbidden, false, false},
    {"fc00::/7", enclosed, false, false},
    {"fd00:ec2::/32", forbidden, false, false},
    {"fd20:ce::254/128", forbidden, false, false},
    {"fd00:c1::a9fe:a9fe/128", forbidden, false, false},
    {"fd00:42::42/128", forbidden, false, false},
    {"fe80::/10", forbidden, false, false},
    {"fec0::/10", forbidden, false, false},
    {"ff00::/8", forbidden, false, false},
};

TEST(SpecialNetworks, AreKnownAtTheirFirstMiddleAndLastAddress) {
  for (const Case& one : cases) {
    const AddressBlock block = parse_block(one.block).value();
    for (const Address& address : {block.first, middle_of(block), last_of(block)}) {
      EXPECT_TRUE(contains(block, address));
      EXPECT_EQ(network_of(address), one.network) << to_string(address) << " of " << one.block;
    }
  }
}

TEST(SpecialNetworks, EndWhereTheyEnd) {
  for (const Case& one : cases) {
    const AddressBlock block = parse_block(one.block).value();
    EXPECT_EQ(network_of(before(block.first)) == open, one.is_open_before) << "before " << one.block;
    EXPECT_EQ(network_of(after(last_of(block))) == open, one.is_open_after) << "after " << one.block;
    EXPECT_FALSE(contains(block, after(last_of(block)))) << one.block;
  }
}

TEST(SpecialNetworks, LeavePublicAddressesOpen) {
  for (const auto* text : {"1.1.1.1", "8.8.8.8", "93.184.216.34", "223.255.255.255", "2606:4700::1111", "2a00:1450::1",
                           "2000::", "2400:cb00::1"}) {
    EXPECT_EQ(network_at(text), open) << text;
  }
}

TEST(SpecialNetworks, JudgeNat64ByWhatIsInside) {
  EXPECT_EQ(network_at("64:ff9b::8.8.8.8"), open);
  EXPECT_EQ(network_at("64:ff9b::10.0.0.1"), forbidden);
  EXPECT_EQ(network_at("64:ff9b::127.0.0.1"), forbidden);
  EXPECT_EQ(network_at("64:ff9b::169.254.169.254"), forbidden);
  EXPECT_EQ(network_at("64:ff9b:0:0:0:1:808:808"), forbidden) << "just behind the prefix";
  EXPECT_EQ(network_at("64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff"), forbidden) << "just before it";
}

TEST(SpecialNetworks, JudgeNoDisguisedAddressOpen) {
  for (const auto* text : {"::ffff:8.8.8.8", "::8.8.8.8", "::ffff:0:8.8.8.8", "2002:808:808::", "2001:0:808:808::"}) {
    EXPECT_EQ(network_at(text), forbidden) << text;
  }
}

TEST(Address, IsReadOnlyInItsUsualForm) {
  EXPECT_EQ(to_string(the("10.1.2.3")), "10.1.2.3");
  EXPECT_EQ(to_string(the("FD00:0:0::1")), "fd00::1");
  for (const std::string_view text : {"", "10.1.2", "10.1.2.03", "0x0a.1.2.3", "167837955", "10.1.2.3.", " 10.1.2.3",
                                      "[::1]", "fe80::1%lo", "::g", ":", "localhost"}) {
    EXPECT_FALSE(parse_address(text)) << text;
  }
  EXPECT_FALSE(parse_address(std::string_view("10.1.2.3\0", 9)));
}

TEST(Address, ComesFromASocketAddress) {
  sockaddr_in v4 = {};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(0x0A010203);
  EXPECT_EQ(address_of(reinterpret_cast<const sockaddr&>(v4)), the("10.1.2.3"));
  sockaddr_in6 v6 = {};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_loopback;
  EXPECT_EQ(address_of(reinterpret_cast<const sockaddr&>(v6)), the("::1"));
  sockaddr other = {};
  other.sa_family = AF_UNIX;
  EXPECT_EQ(address_of(other), std::nullopt);
}

TEST(AddressBlock, IsReadOnlyWhenItIsANetwork) {
  EXPECT_EQ(parse_block("10.20.0.0/16")->bits, 16U);
  EXPECT_EQ(parse_block("fd00::/8")->bits, 8U);
  EXPECT_EQ(parse_block("0.0.0.0/0")->bits, 0U);
  for (const auto* text : {"10.20.0.0", "10.20.0.0/33", "10.20.1.0/16", "fd00::/129", "fd00::1/64", "10.20.0.0/",
                           "10.20.0.0/16x", "10.20.0.0/-1", "10.20.0.0/+8", "/8", "any", ""}) {
    EXPECT_FALSE(parse_block(text)) << text;
  }
}

TEST(AddressBlock, ContainsWhatBeginsLikeIt) {
  const AddressBlock block = parse_block("10.20.32.0/19").value();
  EXPECT_TRUE(contains(block, the("10.20.32.0")));
  EXPECT_TRUE(contains(block, the("10.20.63.255")));
  EXPECT_FALSE(contains(block, the("10.20.64.0")));
  EXPECT_FALSE(contains(block, the("10.20.31.255")));
  EXPECT_FALSE(contains(block, the("a14:2000::")));  // The same bytes, of the other kind.
  EXPECT_TRUE(contains(parse_block("::/0").value(), the("ff02::1")));
}

}  // namespace
}  // namespace makegood::net
