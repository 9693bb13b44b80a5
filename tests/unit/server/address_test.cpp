#include "server/address.hpp"

#include <gtest/gtest.h>

namespace makegood::server {
namespace {

Address address(const char* text) { return *parse_address(text); }

TEST(ListenAddress, IsANumberAndAPort) {
  EXPECT_EQ(to_string(address("127.0.0.1:7700")), "127.0.0.1:7700");
  EXPECT_EQ(to_string(address("[::1]:0")), "[::1]:0");
  EXPECT_EQ(to_string(address("localhost:80")), "127.0.0.1:80");
}

TEST(ListenAddress, KnowsWhetherOthersCanReachIt) {
  for (const char* text : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1"}) {
    EXPECT_TRUE(address(text).is_loopback) << text;
  }
  for (const char* text : {"0.0.0.0:1", "[::]:1", "192.168.1.1:1", "128.0.0.1:1"}) {
    EXPECT_FALSE(address(text).is_loopback) << text;
  }
}

TEST(ListenAddress, RefusesWhatItWouldHaveToGuess) {
  for (const char* text : {"", "127.0.0.1", ":7700", "example.com:80", "127.0.0.1:", "127.0.0.1:70000", "127.0.0.1:80x",
                           "[::1:80", "1.2.3:80"}) {
    const auto parsed = parse_address(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Errc::invalid);
  }
}

TEST(Host, IsOursByALoopbackNameOrTheAddressItself) {
  const Address listen = address("127.0.0.1:7700");
  for (const char* host : {"localhost", "LocalHost:7700", "127.0.0.1:7700", "127.1.2.3", "[::1]:9"}) {
    EXPECT_TRUE(is_host_ours(host, listen)) << host;
  }
  for (const char* host : {"", "evil.example", "evil.example:7700", "localhost.evil.example", "10.0.0.1", "[::2]"}) {
    EXPECT_FALSE(is_host_ours(host, listen)) << host;
  }
}

TEST(Origin, BelongsToAHostOnlyWhenItIsTheSame) {
  EXPECT_TRUE(is_origin_of("http://127.0.0.1:7700", "127.0.0.1:7700"));
  EXPECT_FALSE(is_origin_of("http://127.0.0.1:3000", "127.0.0.1:7700"));
  EXPECT_FALSE(is_origin_of("https://evil.example", "127.0.0.1:7700"));
  EXPECT_FALSE(is_origin_of("null", "127.0.0.1:7700"));
}

}  // namespace
}  // namespace makegood::server
