#include "transports/redis/text_cache.hpp"

#include <gtest/gtest.h>

#include "tests/support/value_of.hpp"

namespace makegood::redis {
namespace {

TEST(TextCache, ReadsAnAddress) {
  const CacheAddress whole = value_of(read_cache_address("redis://makegood:a:b/c@d@[::1]:6380/2"));
  EXPECT_EQ(whole.user, "makegood");
  EXPECT_EQ(whole.password, "a:b/c@d");
  EXPECT_EQ(whole.host, "::1");
  EXPECT_EQ(whole.port, "6380");
  EXPECT_EQ(whole.database, "2");
}

TEST(TextCache, HasDefaults) {
  const CacheAddress least = value_of(read_cache_address("redis://cache.example"));
  EXPECT_EQ(least.host, "cache.example");
  EXPECT_EQ(least.port, "6379");
  EXPECT_EQ(least.database, "0");
  EXPECT_EQ(least.password, "");
  EXPECT_EQ(value_of(read_cache_address("redis://:secret@h:1/")).password, "secret");
}

TEST(TextCache, RefusesWhatIsNoAddressWithoutTellingIt) {
  for (const char* url : {"", "http://h", "redis://", "redis://:secret@", "redis://h:x", "redis://h/first"}) {
    const auto address = read_cache_address(url);
    ASSERT_FALSE(address) << url;
    EXPECT_EQ(address.error().code, Errc::invalid);
    EXPECT_EQ(address.error().message.find("secret"), std::string::npos);
  }
}

TEST(TextCache, SaysWhenNobodyIsThere) {
  const auto cache = new_text_cache({.host = "127.0.0.1", .port = "9"});
  const CachedText text{.key = "k", .text = "v"};
  const auto stored = cache->put({&text, 1}, std::chrono::seconds(1));
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().code, Errc::unavailable);
}

}  // namespace
}  // namespace makegood::redis
