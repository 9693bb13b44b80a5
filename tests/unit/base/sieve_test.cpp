#include "base/sieve.hpp"

#include <gtest/gtest.h>

#include <random>

namespace makegood {
namespace {

constexpr auto topics = std::to_array<std::string_view>({"order.placed", "order.paid", "stock.low", "x"});
constexpr auto patterns = std::to_array<std::string_view>({"*", "order.*", "*.paid", "stock.low", "never"});
constexpr auto destinations = std::to_array<std::string_view>({"fn:a", "fn:b", "fn:c"});
constexpr auto tenants = std::to_array<std::string_view>({"", "acme", "b"});
constexpr auto owners = std::to_array<std::string_view>({"acme", "b"});
constexpr auto keys = std::to_array<std::string_view>({"", "k", "l"});

using Random = std::minstd_rand;

template <class Choices>
std::string one_of(const Choices& choices, Random& random) {
  return std::string(choices.at(random() % choices.size()));
}

Scope a_scope(Random& random) {
  Scope scope{one_of(destinations, random), one_of(tenants, random), one_of(keys, random)};
  if (random() % 3 == 0) scope.priority = static_cast<int>(random() % 2);
  return scope;
}

Filter a_filter(Random& random) {
  Filter filter;
  for (auto count = random() % 5; count > 0; --count) {
    filter.routes.push_back({one_of(patterns, random), one_of(destinations, random)});
  }
  for (auto count = random() % 4; count > 0; --count) filter.elsewhere.push_back(a_scope(random));
  if (random() % 2 == 0) filter.scope = a_scope(random);
  if (random() % 2 == 0) filter.tenants[one_of(destinations, random)] = one_of(owners, random);
  return filter;
}

}  // namespace

TEST(Sieve, AnswersAsTheFilterDoes) {
  Random random(20240517);
  std::size_t wanted_count = 0;
  for (int round = 0; round < 500; ++round) {
    const Filter filter = a_filter(random);
    Sieve sieve(filter);
    for (int row = 0; row < 40; ++row) {
      const std::string topic = one_of(topics, random);
      const std::string tenant = one_of(tenants, random);
      const std::string key = one_of(keys, random);
      const int priority = static_cast<int>(random() % 2);
      const bool is_wanted = wants(filter, topic, tenant, key, priority);
      ASSERT_EQ(sieve.wants(topic, tenant, key, priority), is_wanted) << topic << ' ' << tenant << ' ' << key;
      wanted_count += is_wanted ? 1 : 0;
    }
  }
  EXPECT_GT(wanted_count, 2000U) << "both answers must have come up often";
  EXPECT_LT(wanted_count, 18'000U);
}

}  // namespace makegood
