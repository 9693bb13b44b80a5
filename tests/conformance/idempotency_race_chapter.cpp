// Many clients at once: at most one effect for each key. For longer: MAKEGOOD_RACE_KEYS=1000000.
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

/// One of many that try every key, as a good client does: who was not answered for lack of a lock asks again.
class Contender {
 public:
  Contender(IdempotencyStore& store, std::vector<std::atomic<int>>& effects) : store_(store), effects_(effects) {}

  void try_all(std::vector<ClaimRequest> requests) {
    while (!requests.empty()) requests = claim(requests);
  }
  int error_count() const { return error_count_; }

 private:
  /// Answers those that are to be asked for again.
  std::vector<ClaimRequest> claim(const std::vector<ClaimRequest>& requests) {
    std::vector<ClaimRequest> again;
    std::vector<Finish> finishes;
    const auto answers = store_.claim(requests);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (is_unanswered(answers[i])) again.push_back(requests[i]);
      if (!answers[i] || answers[i]->outcome != ClaimOutcome::fresh) continue;
      ++effects_[std::stoul(requests[i].key.key)];
      finishes.push_back({{requests[i].key, answers[i]->token}, {.digest = "d"}});
    }
    while (!finishes.empty()) finishes = finish(finishes);
    return again;
  }
  std::vector<Finish> finish(const std::vector<Finish>& finishes) {
    std::vector<Finish> again;
    const auto answers = store_.finish(finishes);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (is_unanswered(answers[i])) again.push_back(finishes[i]);
    }
    return again;
  }
  template <class T>
  bool is_unanswered(const Result<T>& answer) {
    if (answer) return false;
    const bool is_for_lack_of_a_lock = answer.error().code == Errc::store_unavailable;
    error_count_ += is_for_lack_of_a_lock ? 0 : 1;
    return is_for_lack_of_a_lock;
  }

  IdempotencyStore& store_;
  std::vector<std::atomic<int>>& effects_;
  int error_count_ = 0;
};

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
  const int keys = keys_of_the_race();
  const int batch_max = keys < 10'000 ? 25 : 250;  // Many keys with fewer commits.
  std::vector<std::atomic<int>> effects(static_cast<std::size_t>(keys));
  std::atomic<int> errors = 0;
  std::vector<std::unique_ptr<IdempotencyStore>> stores;
  for (int i = 0; i < clients; ++i) stores.push_back(another());
  race(clients, [&](int index) {
    Contender contender(*stores[static_cast<std::size_t>(index)], effects);
    for (int begin = 0; begin < keys; begin += batch_max) {
      std::vector<ClaimRequest> requests;
      for (int key = begin; key < std::min(begin + batch_max, keys); ++key)
        requests.push_back(a_claim(std::to_string(key)));
      contender.try_all(std::move(requests));
    }
    errors += contender.error_count();
  });
  int once = 0;
  for (const auto& effect : effects) once += effect == 1 ? 1 : 0;
  EXPECT_EQ(once, keys);
  EXPECT_EQ(errors, 0);
}

}  // namespace makegood::conformance
