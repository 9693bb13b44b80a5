// docs/endpoint-zoo.md says what we do with each animal, and it is true.
#include <set>

#include "tests/integration/http_zoo/at_the_zoo.hpp"
#include "tests/integration/http_zoo/zoo_page.hpp"

namespace makegood {
namespace {

using ZooPage = AtTheZoo;

TEST_F(ZooPage, HasEveryAnimalOnce) {
  std::multiset<std::string> told;
  for (const PageRow& row : rows_under("Endpoints")) told.insert(row.animal);
  const auto animals = zoo().animals();
  EXPECT_EQ(told, std::multiset<std::string>(animals.begin(), animals.end()));
}

/// By the number of the transport's threads.
class ZooPageOn : public AtTheZoo, public testing::WithParamInterface<std::size_t> {};

TEST_P(ZooPageOn, SaysWhatBecomesOfADeliveryToEachAnimal) {
  options.threads = GetParam();
  std::vector<std::pair<PageRow, Ticket>> sent;
  for (const PageRow& row : rows_under("Endpoints")) sent.emplace_back(row, send(destination(row.animal)));
  for (const auto& [row, ticket] : sent) {
    const Outcome outcome = outcome_of(ticket);
    EXPECT_EQ(to_string(outcome.kind), row.outcome) << row.animal << ": " << outcome;
    EXPECT_EQ(outcome.code, row.code) << row.animal << ": " << outcome;
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ZooPageOn, testing::Values(1, 2));

}  // namespace
}  // namespace makegood
