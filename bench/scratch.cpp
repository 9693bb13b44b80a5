#include "bench/scratch.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>

#include "makegood/assert.hpp"
#include "makegood/registry.hpp"

namespace makegood::bench {

Scratch::Scratch() {
  const char* place = std::getenv("MAKEGOOD_BENCH_DIR");
  std::string pattern = std::string(place != nullptr ? place : ".") + "/makegood-bench-XXXXXX";
  MAKEGOOD_ASSERT(mkdtemp(pattern.data()) != nullptr);
  folder_ = pattern;
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

NewMessage a_message() {
  static std::mt19937_64 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same messages in every run.
  std::string filler;
  while (filler.size() < 190)
    filler += "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[random() % 64];
  return {.topic = "bench.evt",
          .payload = R"({"order":"1234567","amount":4200,"currency":"EUR","fill":")" + filler + "\"}",
          .tenant_id = "t0",
          .headers = {{"source", "bench"}, {"version", "1"}}};
}

void preload(const Scratch& scratch, std::size_t count) {
  constexpr std::size_t per_transaction = 1000;
  auto store = open_store(scratch.url(), "makegood_outbox");
  MAKEGOOD_ASSERT(store.has_value());
  const std::vector<NewMessage> batch(per_transaction, a_message());
  for (std::size_t done = 0; done < count; done += per_transaction) MAKEGOOD_ASSERT((*store)->enqueue(batch));
}

double median(std::vector<double> values) { return percentile(values, 0.5); }

double percentile(std::vector<double>& values, double share) {
  MAKEGOOD_ASSERT(!values.empty());
  std::ranges::sort(values);
  return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

}  // namespace makegood::bench
