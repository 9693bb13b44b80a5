#include "bench/draining.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

#include "bench/finish.hpp"
#include "bench/process.hpp"
#include "makegood/node.hpp"

namespace makegood::bench {
namespace {

/// Which numbers a handler has had. Thread-safe, and a bit for each, so that it does not weigh in the figures.
class Notes {
 public:
  /// What is drained lies close together: numbers half as dense still have a bit of their own.
  explicit Notes(std::size_t count) : words_(std::bit_ceil(2 * count) / word_bits + 1) {}

  void add(Sequence sequence) {
    const std::size_t place = static_cast<std::size_t>(sequence) % (words_.size() * word_bits);
    const std::uint64_t bit = std::uint64_t{1} << (place % word_bits);
    const std::uint64_t before = words_[place / word_bits].fetch_or(bit, std::memory_order_relaxed);
    ((before & bit) == 0 ? distinct_ : repeated_).fetch_add(1, std::memory_order_relaxed);
  }
  std::size_t distinct() const { return distinct_; }
  std::size_t repeated() const { return repeated_; }

 private:
  static constexpr std::size_t word_bits = 64;
  std::vector<std::atomic<std::uint64_t>> words_;
  std::atomic<std::size_t> distinct_ = 0;
  std::atomic<std::size_t> repeated_ = 0;
};

}  // namespace

Drained drain_to_handler(const Scratch& scratch, std::size_t count) {
  Finish finish(count);
  Notes notes(count);
  Node node = Node::open(scratch.url(), {.observer = &finish}).value();
  node.on("bench.*", "nothing", [&](const Delivery& delivery) {
    notes.add(delivery.message->sequence);
    return Outcome::ok();
  });
  const auto began = system_clock().monotonic();
  node.start().value();
  finish.wait();
  node.stop();
  const double rate = static_cast<double>(count) / seconds_since(began);
  return {.rate = rate, .lost = count - std::min(count, notes.distinct()), .repeated = notes.repeated()};
}

}  // namespace makegood::bench
