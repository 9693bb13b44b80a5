#include "transports/local/queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "makegood/spi/assert.hpp"

namespace makegood::local {

void Queue::push_back(Chunk chunk) {
  if (chunk.deliveries.empty()) return;
  size_ += chunk.deliveries.size();
  sent_.push_back({.chunk = std::move(chunk)});
}

void Queue::push_front(Chunk chunk) {
  if (chunk.deliveries.empty()) return;
  size_ += chunk.deliveries.size();
  sent_.push_front({.chunk = std::move(chunk)});
}

void Queue::take(std::size_t count_max, Chunk& into) {
  MAKEGOOD_ASSERT(!is_empty());
  Sent& front = sent_.front();
  auto& deliveries = front.chunk.deliveries;
  const std::size_t count = std::min(count_max, deliveries.size() - front.taken_count);
  const auto begin = deliveries.begin() + static_cast<std::ptrdiff_t>(front.taken_count);
  into.deliveries.assign(std::move_iterator(begin), std::move_iterator(begin + static_cast<std::ptrdiff_t>(count)));
  into.done = front.chunk.done;
  front.taken_count += count;
  size_ -= count;
  if (front.taken_count == deliveries.size()) sent_.pop_front();
}

std::vector<Chunk> Queue::forget(const Completions& done) {
  std::vector<Chunk> forgotten;
  std::erase_if(sent_, [&](Sent& sent) {
    if (sent.chunk.done != &done) return false;
    size_ -= sent.chunk.deliveries.size() - sent.taken_count;
    forgotten.push_back(std::move(sent.chunk));
    return true;
  });
  return forgotten;
}

}  // namespace makegood::local
