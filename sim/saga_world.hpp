// Sagas in a simulated world: a database, processes that own the shard, participants with ledgers, callers and
// operators, in one thread and without a clock; faults by seed; and the checker.
//
// A run has two phases, as in `world.hpp`: faults, and then rest, in which everything ends or waits for a person. Every
// step draws its chance from the seed and its own number, so that steps can be left out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/chance.hpp"
#include "sim/saga_checker.hpp"
#include "sim/saga_database.hpp"
#include "sim/saga_faults.hpp"
#include "sim/saga_node.hpp"
#include "sim/saga_participants.hpp"

namespace makegood::sim {

struct SagaPlan {
  std::uint64_t seed = 1;
  std::uint64_t steps = 1500;
  std::optional<SagaFaults> faults = {};  ///< Nothing: drawn by the seed.
  std::optional<std::size_t> nodes = {};  ///< Likewise.
  std::set<std::uint64_t> skipped = {};   ///< Steps that are left out.
  std::string watched = {};               ///< The id of an execution whose story is told.
};

struct SagaSummary {
  std::uint64_t seed = 0;
  SagaFaults faults = {};
  std::uint64_t steps = 0;
  std::uint64_t trace = 0;  ///< A hash of everything that happened.
  std::size_t execution_count = 0;
  std::size_t send_count = 0;
  std::uint64_t crash_count = 0;
  Duration simulated = {};
  SagaSites sites = {};
  std::vector<std::string> violations = {};
  std::string culprit = {};             ///< The execution that the first violation speaks of.
  std::vector<std::string> story = {};  ///< Of the watched execution.
};

class SagaWorld {
 public:
  explicit SagaWorld(SagaPlan plan);
  SagaSummary run();

 private:
  /// An answer on its way to whoever has called.
  struct Answer {
    std::size_t node = 0;
    std::uint64_t life = 0;
    Report report = {};
  };
  struct Transaction {
    Sequence number = 0;
    NewMessage message = {};
  };
  struct Place {
    Habits habits = {};
    bool is_down = false;
  };

  void step(Chance& chance);
  void happen(std::size_t what, Chance& chance);

  // Owners.
  void step_a_node(Chance& chance);
  void step_node(std::size_t index, SagaCallFault fault);
  void send(std::size_t index, Chance& chance);
  bool is_killer(const core::SagaCallOut& call) const;
  void crash(std::size_t index, Chance& chance);
  void disturb(Chance& chance);
  bool is_paused(std::size_t node) const { return paused_until_[node] > now_; }
  void watch(const SagaTurn& turn);
  void note_key(const SagaKeyHeld& left);
  void note(Sequence number, const core::SagaRecord& record);
  void note_waiting(Sequence number, const core::SagaRecord& record);
  void note_kinship(Sequence number, const core::SagaRecord& record);

  // Participants.
  void let_one_arrive(Chance& chance);
  void serve(const SagaFlight& flight, Chance& chance);
  void relay(Chance& chance);
  void relay(const NewMessage& message, Chance& chance);
  bool is_any_to_relay() const;
  void hand_over_again(SagaFlight flight, Chance& chance);
  void answer_message(const SagaFlight& flight, const Served& served, Chance& chance);
  static NewMessage report_of(const SagaFlight& flight);
  void answer(const SagaFlight& flight, Reply reply);
  void deliver(Chance& chance);
  void call_back(Chance& chance);
  void change_the_weather(Chance& chance);
  Place& place_of(const std::string& uri);

  // Callers, operators, the database.
  void start(Chance& chance);
  static void draw_key(NewMessage& message, Chance& chance);
  /// The number, if it is committed at once.
  std::optional<Sequence> append(NewMessage message, Chance& chance);
  void end_a_transaction(Chance& chance);
  void operate(Chance& chance);
  void tell_event(Sequence number, Chance& chance);
  void judge_in_haste(Chance& chance);
  void ask(Sequence number, const std::string& verb, Chance& chance);
  core::SagaRequest draw_request(Sequence number, const std::string& verb, Chance& chance);
  std::string truth_about(Sequence number, const std::string& step, Chance& chance);
  void define(Chance& chance);
  void shake_the_database(Chance& chance);
  void forget();

  // The second phase.
  void come_to_rest();
  bool is_at_rest() const;
  bool is_standing(Sequence number) const;
  bool is_standing(Sequence number, std::set<Sequence>& asked) const;
  bool is_any_child_standing(Sequence number, std::set<Sequence>& asked) const;
  static bool waits_for_a_person(const SagaParked& row);
  void help(Chance& chance);
  void check_waits();
  std::string what_is_left() const;
  Duration next_leap() const;

  TimePoint store_now() const { return TimePoint(std::chrono::hours(10'000)) + now_.time_since_epoch() + shift_; }
  std::vector<Sequence> executions() const;
  void tell(std::string_view id, const std::string& what);
  void trace(std::uint64_t what, std::uint64_t detail);
  bool is_luck(SagaFault fault, std::size_t one_in, Chance& chance) const {
    return faults_.has(fault) && chance.one_in(one_in);
  }

  const SagaPlan plan_;
  SagaFaults faults_;
  MonotonicTime now_ = {};
  Duration shift_ = {};
  TimePoint participants_now_ = {};  ///< Their clocks never go back.
  core::ShardOptions options_;
  SagaDatabase database_;
  SagaParticipants participants_;
  std::vector<SagaDefinition> children_;  ///< That may be steps of others.
  SagaChecker checker_;
  std::vector<std::unique_ptr<SagaNode>> nodes_;
  std::vector<MonotonicTime> paused_until_;
  std::map<std::string, Place, std::less<>> places_;
  std::vector<SagaFlight> flights_;
  std::vector<Answer> answers_;
  std::vector<NewMessage> callbacks_;
  std::vector<Transaction> transactions_;
  std::optional<SagaTables> backup_;
  std::map<Sequence, int> helped_;  ///< How often somebody has tried to help, at rest.
  SagaSummary summary_;
  std::uint64_t next_id_ = 0;
  std::uint64_t current_step_ = 0;
};

}  // namespace makegood::sim
