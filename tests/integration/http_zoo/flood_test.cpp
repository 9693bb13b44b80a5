// Endpoints that send more than anybody wants: memory stays flat, and the others are served.
#include "tests/integration/http_zoo/at_the_zoo.hpp"
#include "tests/integration/http_zoo/memory.hpp"

namespace makegood {
namespace {

constexpr std::size_t growth_max = std::size_t{20} << 20;

class FloodingAnimals : public AtTheZoo {
 protected:
  Outcome outcome_with_flat_memory(const std::string& animal, Duration timeout = 3s) {
    expect_the_healthy_are_served_promptly();  // So that what is needed once is there.
    const MemoryWatch memory;
    const auto tickets = send_many(destination(animal, timeout), 4);
    expect_the_healthy_are_served_promptly();
    const auto outcomes = outcomes_of(tickets);
    EXPECT_LT(memory.growth_max(), growth_max) << animal;
    return outcomes.front();
  }
};

TEST_F(FloodingAnimals, WithABodyWithoutEndAreCutOffAndBelieved) {
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(outcome_with_flat_memory("infinite-body", 20s).kind, Kind::ok);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 15s) << "not read until the timeout";
}

TEST_F(FloodingAnimals, WithAnErrorWithoutEndAreCutOffAndRetried) {
  EXPECT_EQ(outcome_with_flat_memory("infinite-error").kind, Kind::retry);
}

TEST_F(FloodingAnimals, WithABombAreNotInflated) {
  EXPECT_EQ(outcome_with_flat_memory("gzip-bomb").kind, Kind::ok);
  for (const auto& visit : zoo().visits("gzip-bomb").requests) {
    EXPECT_FALSE(visit.headers.contains("accept-encoding")) << "nobody asked for it";
  }
}

TEST_F(FloodingAnimals, WithHeadersWithoutEndAreCutOff) {
  EXPECT_EQ(outcome_with_flat_memory("huge-headers").kind, Kind::retry);
  EXPECT_EQ(outcome_with_flat_memory("huge-header-line").kind, Kind::retry);
}

TEST_F(FloodingAnimals, WithInterimAnswersWithoutEndAreCutOff) {
  EXPECT_EQ(outcome_with_flat_memory("informational-flood").kind, Kind::retry);
  EXPECT_EQ(outcome_at("informational-first").kind, Kind::ok);
}

}  // namespace
}  // namespace makegood
