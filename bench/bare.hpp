// The limits: what the bare library of a database does on the same schema, with the same durability, and nothing around
// it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

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

  /// One transaction with a business row and `count` inserts of this message.
  virtual void order(const NewMessage& message, std::size_t count) = 0;
  /// One transaction with the messages alone.
  virtual void insert(const NewMessage& message, std::size_t count) = 0;
  /// Whether somebody has committed: the cheapest question there is.
  virtual void ask() = 0;
  /// Reads the next `count` rows beyond what was read, touching every column, and appends a turn. Returns how many.
  virtual std::size_t read_and_append(std::size_t count) = 0;
};

/// Of a store in SQLite; empty for one on a server.
std::string file_of(const std::string& store_url);
/// The tables are there already.
std::unique_ptr<Bare> open_bare(const std::string& store_url);
inline std::unique_ptr<Bare> open_bare(const Scratch& scratch) { return open_bare(scratch.url()); }

}  // namespace makegood::bench
