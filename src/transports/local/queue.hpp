// Deliveries that no worker has taken yet. Not thread-safe: the pool's mutex guards it.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "makegood/spi/transport.hpp"

namespace makegood::local {

/// Deliveries whose completions go to the same place.
struct Chunk {
  std::vector<Delivery> deliveries = {};
  Completions* done = nullptr;
};

class Queue {
 public:
  void push_back(Chunk chunk);
  /// For deliveries that had been taken and come back: they keep their place before later ones.
  void push_front(Chunk chunk);
  /// Moves up to `count_max` deliveries of one origin into `into`, whose memory is used again.
  void take(std::size_t count_max, Chunk& into);
  /// All of this receiver, out of the queue.
  std::vector<Chunk> forget(const Completions& done);
  std::size_t size() const { return size_; }
  bool is_empty() const { return size_ == 0; }

 private:
  /// A chunk as it was sent, and how much of it has been taken.
  struct Sent {
    Chunk chunk;
    std::size_t taken_count = 0;
  };
  std::deque<Sent> sent_;
  std::size_t size_ = 0;
};

}  // namespace makegood::local
