// One process with two lanes and a shard of sagas that call the same destination, and a lane that calls another one of
// the same name. Promise P9: what they share holds for all of them together, nobody waits for what is free, and who
// is fenced takes nothing along.
//
// Everybody sleeps until its own time has come, an answer arrives or somebody wakes it, as the loops of a process do:
// a sign that is not given is seen by who never comes to rest.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/saga/participants.hpp"
#include "core/shared_endpoint.hpp"
#include "sim/chance.hpp"
#include "sim/mutants.hpp"
#include "sim/node.hpp"
#include "stores/memory/memory.hpp"

namespace makegood::sim {

struct EndpointSummary {
  std::vector<std::string> violations = {};
  std::vector<std::string> story = {};
  std::uint64_t sent = 0;
  std::uint64_t fenced = 0;   ///< Ownerships that ended with something under way.
  std::uint64_t outages = 0;  ///< Circuits that one lane has heard of from another.
  std::uint64_t woken = 0;    ///< By a place that another gave back.
  std::uint64_t refused = 0;  ///< Calls of the shard that found no place.
};

class EndpointWorld {
 public:
  EndpointWorld(std::uint64_t seed, std::uint64_t steps);
  ~EndpointWorld();
  EndpointSummary run();

 private:
  class SimulatedClock final : public Clock {
   public:
    TimePoint now() const override { return TimePoint(std::chrono::hours(10'000)) + elapsed; }
    MonotonicTime monotonic() const override { return MonotonicTime(elapsed); }
    Duration elapsed = std::chrono::hours(1);
  };
  class Sign final : public core::Waker {
   public:
    void place_freed() override { is_woken = has_place = true; }
    void circuit_changed() override { is_woken = has_changed = true; }
    bool is_woken = false;
    bool has_place = false;
    bool has_changed = false;
  };
  /// A lane and the loop around it.
  struct Relay {
    Sign sign = {};
    std::shared_ptr<memory::Database> database = {};
    std::unique_ptr<Node> node = {};
    MonotonicTime wake_at = {};
    std::set<std::string> outstanding = {};  ///< Messages that are not delivered yet.
    std::optional<TimePoint> success = {};   ///< The last one that its endpoint had, since it is its owner's.
  };
  struct Flight {
    std::optional<std::size_t> relay;  ///< None: the shard's.
    Owner owner = {};
    Delivery delivery = {};
    bool was_probe = false;
    MonotonicTime ends_at = {};
  };

  void step(Chance& chance);
  void produce(std::size_t relay, std::size_t count);
  void act(std::size_t index, CallFault fault, Chance& chance);
  void lose(std::size_t index, Chance& chance);
  void release(std::size_t index, Chance& chance);
  void note_ownership(Relay& relay, const Owner& before);
  void call_as_shard(Chance& chance);
  void end(std::size_t flight, bool is_up);
  void pass_time(Duration most);
  void let_all_act(Chance& chance);
  bool come_to_rest(Chance& chance, Duration patience);
  void check_that_nobody_is_passed_over(Chance& chance);
  void check_limits();
  void check_health(const Relay& relay, const Turn& decided);
  bool shares(const Flight& flight) const { return !flight.relay || *flight.relay < 2; }
  Duration draw_service(Chance& chance) const;
  std::string what_is_left();
  void violated(const std::string& sentence);

  const std::uint64_t seed_;
  const std::uint64_t steps_;
  SimulatedClock clock_;
  Ids ids_;
  Destination settings_;  ///< Of the first two lanes and the shard; the last has others.
  core::Endpoints endpoints_;
  std::vector<std::unique_ptr<Relay>> relays_;
  core::Participants shard_;
  std::vector<Flight> flights_;
  std::deque<MonotonicTime> sends_;  ///< To the endpoint that is shared, in the last second.
  bool is_up_ = true;
  std::uint64_t produced_ = 0;
  EndpointSummary summary_;
};

/// The bank of mistakes with what callers share.
std::span<const Mutant> endpoint_mutants();

}  // namespace makegood::sim
