// A database, producers, processes and destinations in one thread, without a clock; faults by seed; and the checker.
//
// A run has two phases. In the first, each step picks something that may happen next, faults included. In the second
// nothing fails any more, and everything must come to rest: whatever is then neither delivered nor dead is lost.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "makegood/clock.hpp"
#include "sim/chance.hpp"
#include "sim/checker.hpp"
#include "sim/node.hpp"
#include "stores/memory/database.hpp"
#include "stores/memory/memory.hpp"

namespace makegood::sim {

/// Each seed switches on a random subset, so that rare pairs of faults meet without the others in their way.
struct Faults {
  bool crashes, pauses, lost_replies, store_errors, rollbacks, refusals, lost_answers, replays, delays, jumps;
};

struct Summary {
  std::uint64_t seed = 0;
  std::uint64_t steps = 0;
  std::uint64_t trace = 0;  ///< A hash of everything that happened.
  std::size_t committed_count = 0;
  std::size_t arrival_count = 0;
  std::size_t duplicate_count = 0;
  std::uint64_t fenced_count = 0;
  std::uint64_t crash_count = 0;
  std::size_t dead_count = 0;
  std::size_t replay_count = 0;
  Duration simulated = {};
  std::vector<std::string> violations = {};
};

class World {
 public:
  explicit World(std::uint64_t seed);
  ~World();
  Summary run(std::uint64_t steps);

 private:
  class SimulatedClock final : public Clock {
   public:
    TimePoint now() const override { return TimePoint(std::chrono::hours(1)) + elapsed + shift; }
    MonotonicTime monotonic() const override { return MonotonicTime(elapsed); }
    Duration elapsed = {};
    Duration shift = {};
  };
  struct Producer {
    std::unique_ptr<memory::Transaction> transaction;
    std::vector<std::pair<std::string, Checker::Committed>> written = {};
    std::set<std::string> keys = {};
  };
  struct Flight {
    std::size_t node;
    std::uint64_t life;
    Owner owner;
    Delivery delivery;
  };

  void step();
  void produce();
  void enqueue(Producer& producer);
  void end_a_transaction();
  void step_a_node();
  void step(Node& node, std::size_t index, CommitFault fault);
  void notice(const Turn& turn);
  void let_one_arrive();
  void land(const Flight& flight, bool has_effect, Outcome answer);
  void crash_a_node();
  void pause_a_node();
  void pass_time();
  void ask_for_a_replay();
  void come_to_rest();
  bool is_at_rest();
  void settle_accounts();
  bool is_paused(std::size_t node) const { return paused_until_[node] > clock_.monotonic(); }
  void trace(std::uint64_t what, std::uint64_t detail);

  Chance chance_;
  Faults faults_;
  SimulatedClock clock_;
  std::shared_ptr<memory::Database> database_;
  std::unique_ptr<DeadLetterStore> dead_letters_;
  DispatcherOptions options_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<MonotonicTime> paused_until_;
  std::deque<Producer> producers_;
  std::set<std::string> locked_keys_;
  std::vector<Flight> flights_;
  std::map<Sequence, std::string> events_;
  Checker checker_;
  Summary summary_;
  std::uint64_t next_event_ = 0;
};

}  // namespace makegood::sim
