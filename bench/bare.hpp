// The limits: what the bare library of a database does on the same schema, with the same durability, and nothing around
// it.
#pragma once

#include <cstddef>
#include <memory>

#include "bench/scratch.hpp"
#include "makegood/message.hpp"

namespace makegood::bench {

/// Stops the program on any error: a benchmark that failed has no figure.
class Bare {
 public:
  Bare() = default;
  virtual ~Bare() = default;
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

  /// One transaction with `count` inserts of this message.
  virtual void insert(const NewMessage& message, std::size_t count) = 0;
  /// Reads the next `count` rows beyond what was read, touching every column, and appends a turn. Returns how many.
  virtual std::size_t read_and_append(std::size_t count) = 0;
};

/// Of the store that is measured.
std::unique_ptr<Bare> open_bare(const Scratch& scratch);

}  // namespace makegood::bench
