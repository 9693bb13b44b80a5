#include "transports/net/answer_cache.hpp"

#include <gtest/gtest.h>

#include "transports/http/net.hpp"

namespace makegood::http {
namespace {

constexpr MonotonicTime start{};
constexpr Duration one_second = std::chrono::seconds(1);

Addresses some(std::size_t count) {
  return std::make_shared<Result<std::vector<Address>>>(std::vector<Address>(count));
}

TEST(AnswerCache, ForgetsWhenTheTimeIsOver) {
  AnswerCache cache;
  cache.keep("a", some(1), start + one_second, start);
  EXPECT_NE(cache.find("a", start), nullptr);
  EXPECT_NE(cache.find("a", start + one_second - Duration(1)), nullptr);
  EXPECT_EQ(cache.find("a", start + one_second), nullptr);
  EXPECT_EQ(cache.find("b", start), nullptr);
}

TEST(AnswerCache, KeepsTheLastAnswerToAName) {
  AnswerCache cache;
  cache.keep("a", some(1), start + one_second, start);
  cache.keep("a", some(2), start + one_second, start);
  EXPECT_EQ((*cache.find("a", start))->size(), 2U);
  EXPECT_EQ(cache.size(), 1U);
}

TEST(AnswerCache, IsBoundedInNames) {
  AnswerCache cache;
  for (std::size_t name = 0; name < 3 * AnswerCache::names_max; ++name) {
    cache.keep(std::to_string(name), some(1), start + one_second, start);
    ASSERT_LE(cache.size(), AnswerCache::names_max);
    ASSERT_NE(cache.find(std::to_string(name), start), nullptr);
  }
}

TEST(AnswerCache, IsBoundedInAddresses) {
  AnswerCache cache;
  constexpr std::size_t many = 1000;
  for (std::size_t name = 0; name < 300; ++name) {
    cache.keep(std::to_string(name), some(many), start + one_second, start);
    ASSERT_LE(cache.size() * many, AnswerCache::addresses_max);
  }
  cache.keep("huge", some(AnswerCache::addresses_max + 1), start + one_second, start);
  EXPECT_EQ(cache.find("huge", start), nullptr);
}

TEST(AnswerCache, ForgetsWhatIsOverBeforeWhatIsNot) {
  AnswerCache cache;
  cache.keep("long", some(1), start + 10 * one_second, start);
  for (std::size_t name = 1; name < AnswerCache::names_max; ++name) {
    cache.keep(std::to_string(name), some(1), start + one_second, start);
  }
  cache.keep("new", some(1), start + 10 * one_second, start + 2 * one_second);
  EXPECT_NE(cache.find("long", start + 2 * one_second), nullptr);
  EXPECT_EQ(cache.size(), 2U);
}

}  // namespace
}  // namespace makegood::http
