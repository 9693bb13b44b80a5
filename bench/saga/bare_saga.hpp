// The limit of sagas: the commits that executions cannot do without, by the bare library of the database on the same
// tables and with the same durability. All that are in flight share each commit, and nothing is decided, read or looked
// for between two of them.
#pragma once

#include <cstddef>
#include <memory>

#include "bench/http/bare_client.hpp"
#include "bench/scratch.hpp"

namespace makegood::bench {

/// Stops the program on any error.
class BareSaga {
 public:
  BareSaga() = default;
  virtual ~BareSaga() = default;
  BareSaga(const BareSaga&) = delete;
  BareSaga& operator=(const BareSaga&) = delete;

  /// One commit with so many starts.
  virtual void start(std::size_t executions) = 0;
  /// One commit with a turn and a journal row of each; with their ends too, if it is the last.
  virtual void turn(std::size_t executions, bool is_last) = 0;
};

/// The tables are there already.
std::unique_ptr<BareSaga> open_bare_saga(const Scratch& scratch);

/// Executions per second: `in_flight` at once go through so many steps; `calls` sends the request of each step, if
/// there is one. After an action that fails, as many compensations as came before it follow.
struct BareWork {
  std::size_t in_flight = 1;
  std::size_t steps = 2;
  std::size_t count = 1000;
  BareClient* calls = nullptr;
};
double bare_executions_per_second(BareSaga& bare, const BareWork& work);

}  // namespace makegood::bench
