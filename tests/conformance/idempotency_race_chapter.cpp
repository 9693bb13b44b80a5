// Many clients at once: at most one effect for each key. For longer: MAKEGOOD_RACE_KEYS=100000.
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/conformance/idempotency_suite.hpp"

namespace makegood::conformance {
namespace {

/// Runs `client(index)` on so many threads, which begin together.
template <class Client>
void race(int clients, const Client& client) {
  std::atomic<bool> is_begun = false;
  std::vector<std::jthread> threads;
  for (int index = 0; index < clients; ++index) {
    threads.emplace_back([&, index] {
      is_begun.wait(false);
      client(index);
    });
  }
  is_begun = true;
  is_begun.notify_all();
}

int keys_of_the_race() {
  const char* asked = std::getenv("MAKEGOOD_RACE_KEYS");
  return asked != nullptr ? std::atoi(asked) : 300;
}

}  // namespace

/// I1 and I2: one is fresh, and those who lose are told so; none gets an error.
TEST_P(IdempotencySuite, GivesAKeyToOneOfThirtyTwoClientsAtOnce) {
  constexpr int clients = 32;
  std::vector<std::unique_ptr<IdempotencyStore>> stores;
  for (int i = 0; i < clients; ++i) stores.push_back(another());
  std::atomic<int> fresh = 0, busy = 0, others = 0;
  race(clients, [&](int index) {
    const auto answer = stores[static_cast<std::size_t>(index)]->claim(a_claim());
    const bool is_fresh = answer && answer->outcome == ClaimOutcome::fresh;
    const bool is_busy = answer && answer->outcome == ClaimOutcome::busy;
    ++(is_fresh ? fresh : is_busy ? busy : others);
  });
  EXPECT_EQ(fresh, 1);
  EXPECT_EQ(busy, clients - 1);
  EXPECT_EQ(others, 0);
}

/// Every client tries every key. The effect is counted by the key in a ledger that knows nothing of claims.
TEST_P(IdempotencySuite, HasAtMostOneEffectPerKeyWithEightClients) {
  constexpr int clients = 8;
  constexpr int batch_max = 25;
  const int keys = keys_of_the_race();
  std::vector<std::atomic<int>> effects(static_cast<std::size_t>(keys));
  std::atomic<int> errors = 0;
  std::vector<std::unique_ptr<IdempotencyStore>> stores;
  for (int i = 0; i < clients; ++i) stores.push_back(another());
  race(clients, [&](int index) {
    IdempotencyStore& store = *stores[static_cast<std::size_t>(index)];
    for (int begin = 0; begin < keys; begin += batch_max) {
      std::vector<ClaimRequest> requests;
      for (int key = begin; key < std::min(begin + batch_max, keys); ++key)
        requests.push_back(a_claim(std::to_string(key)));
      std::vector<Finish> finishes;
      const auto answers = store.claim(requests);
      for (std::size_t i = 0; i < answers.size(); ++i) {
        if (!answers[i]) ++errors;
        if (!answers[i] || answers[i]->outcome != ClaimOutcome::fresh) continue;
        ++effects[static_cast<std::size_t>(begin) + i];
        finishes.push_back({{requests[i].key, answers[i]->token}, {.digest = "d"}});
      }
      if (finishes.empty()) continue;
      for (const Result<>& finished : store.finish(finishes)) errors += finished ? 0 : 1;
    }
  });
  int once = 0;
  for (const auto& effect : effects) once += effect == 1 ? 1 : 0;
  EXPECT_EQ(once, keys);
  EXPECT_EQ(errors, 0);
}

}  // namespace makegood::conformance
