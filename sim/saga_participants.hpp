// The services that a simulated saga calls. Each keeps the promise that its step declares, and a ledger of what it has
// done, which is compared with what the executions say when everything has come to rest.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/saga/shard.hpp"
#include "sim/chance.hpp"

namespace makegood::sim {

/// What one step of one execution has done.
struct Ledger {
  /// The request that an effect came from.
  struct Cause {
    std::uint32_t round = 0;
    std::uint32_t attempt = 0;
    bool is_copy = false;  ///< Of a request that was repeated on the way: nobody hears its answer.
  };
  int effects = 0;
  std::map<std::uint32_t, std::string> said = {};  ///< By round: `ok`, or the code of a failure that is kept.
  std::uint32_t highest_round = 0;
  std::uint32_t shut = 0;  ///< Of a barrier: rounds up to here are refused.
  std::optional<Cause> last = {};
  int undone = 0;                                                  ///< How often a compensation came.
  std::set<std::pair<std::uint32_t, std::uint32_t>> refused = {};  ///< Requests, where nobody remembers it.
  /// A request came twice, was refused, and then carried out all the same: its answer was the proof that it was not.
  bool is_twofold = false;
};

/// A request on its way, and who waits for its answer.
struct SagaFlight {
  std::size_t node = 0;
  std::uint64_t life = 0;
  core::SagaCallOut call = {};
  SagaPromise promise = SagaPromise::late;
  bool has_no_effect = false;
  bool is_copy = false;
  bool is_by_bus = false;  ///< A message: nobody waits for its answer, and it may be handed over twice.
  TimePoint expires_at = TimePoint::max();  ///< Of a message: it is not handed over after that.
  MonotonicTime not_before = {};            ///< It does not arrive earlier.
};

/// What came of a request.
struct Served {
  Reply reply = {};
  bool is_later = false;  ///< It was accepted; this is what the callback will say:
  SagaOutcome outcome = SagaOutcome::ok;
  std::string code = {};
  std::string output = {};
};

/// Which of its habits a participant has in this world.
struct Habits {
  bool refuses = false;  ///< Business failures.
  bool errs = false;     ///< 500, before or after the effect.
  bool answers_later = false;
  bool is_misrouted = false;  ///< 404 without a code, as a proxy says it.
  bool is_busy = false;       ///< 429 and 503.
};

class SagaParticipants {
 public:
  using Step = std::pair<std::string, std::string>;  ///< Execution and step.

  Served serve(const SagaFlight& flight, const Habits& habits, TimePoint now, Chance& chance);

  const Ledger& ledger(const std::string& execution, const std::string& step) { return ledgers_[{execution, step}]; }
  /// Bodies under one key that differ.
  const std::set<std::string>& torn_keys() const { return torn_keys_; }
  bool has_shut_out() const { return has_shut_out_; }
  bool has_run_late() const { return has_run_late_; }
  bool has_undone_nothing() const { return has_undone_nothing_; }

 private:
  Served act(const SagaFlight& flight, const Habits& habits, Chance& chance);
  Served undo(const SagaFlight& flight, const Habits& habits, Chance& chance);
  Served look_up(const SagaFlight& flight);
  Served turn_away(const SagaFlight& flight, int status);
  void do_it(const SagaFlight& flight, Ledger& ledger);
  static void undo_it(const SagaFlight& flight, Ledger& ledger);
  Ledger& ledger_of(const SagaFlight& flight);

  std::map<Step, Ledger> ledgers_;
  std::map<std::string, std::string> bodies_;  ///< By key.
  std::set<std::string> torn_keys_;
  bool has_shut_out_ = false;
  bool has_run_late_ = false;
  bool has_undone_nothing_ = false;
};

Reply replied(int status, std::string body = {});

}  // namespace makegood::sim
