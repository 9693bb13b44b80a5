// What the committed journal of one execution says, as the checker reads it: on its own, without the core's code, so
// that a mistake there is not made here, too.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/saga/record.hpp"
#include "makegood/spi/saga_store.hpp"

namespace makegood::sim {

struct SeenAttempt {
  TimePoint until = {};
  std::optional<SagaOutcome> outcome = {};  ///< Nothing: not answered yet.
  bool is_denied = false;
  bool is_lost = false;
  /// The participant itself has said something that does not rule an effect out.
  bool is_heard = false;
};

struct SeenStep {
  using Number = std::pair<std::uint32_t, std::uint32_t>;  ///< Round and attempt.
  std::map<Number, SeenAttempt> actions = {};
  std::map<Number, SeenAttempt> compensations = {};
  std::uint32_t action_round = 1;
  std::uint32_t compensation_round = 1;
  std::size_t forgiven_deaths = 0;  ///< Over the current round of the action, before an operator wanted it retried.
  std::optional<TimePoint> waits_since = {};  ///< For its event, or its time.
  bool has_happened = false;
  bool is_skipped = false;
  bool is_resolved_done = false;
  bool is_resolved_undone = false;
  bool is_stalled = false;
  bool is_given_up = false;
  bool is_misjudged = false;  ///< An operator said what is not so.
};

class SagaStory {
 public:
  void apply(const core::SagaRecord& record, const SagaDefinitionPtr& definition);

  SagaDefinitionPtr definition = {};                  ///< With a step for each element of a list.
  std::map<std::string, std::size_t> lists = {};      ///< How many elements the list of a repeated step has.
  std::map<std::string, std::uint32_t> at_once = {};  ///< Likewise: how many of them may be under way.
  TimePoint begun_at = {};
  TimePoint turned_back_at = {};
  bool is_turned_back = false;
  bool is_paused = false;
  bool is_manual = false;
  bool has_ended = false;
  bool has_left_key = false;  ///< It has ended once, and nothing was open.
  std::map<std::string, SeenStep> steps = {};
  std::map<std::string, int> events = {};  ///< By name: how many are kept, and not used.
  std::size_t revisions = 0;               ///< Since somebody has last let it go on.

  /// It has begun, and nobody else with its key may until it has ended and is settled.
  bool holds_key() const { return definition != nullptr && !has_left_key; }
  const SagaStep* find(const std::string& step) const;
  bool may_be_done(const SagaStep& step) const;
  bool is_finished(const SagaStep& step) const;
  bool is_undone(const SagaStep& step) const;
  bool is_settled(const SagaStep& step) const;
  /// In the current round.
  bool has_tried_to_undo(const std::string& step) const;
  /// An attempt of its action has neither answered nor passed its deadline.
  bool may_still_run(const SagaStep& step, TimePoint now) const;
  TimePoint deadline_of(const SagaStep& step, core::Direction direction, std::uint32_t round,
                        std::uint32_t attempt) const;
  int unused_events(const std::string& name) const;
  std::vector<std::string> open() const;
  /// How many owners died over the current round, and nobody has asked for more.
  std::size_t deaths(const std::string& step, core::Direction direction) const;

 private:
  void spread(const std::string& step);
  void apply(SeenStep& seen, const core::SagaRecord& record);
  void hear(SeenStep& seen, const core::SagaRecord& record);
  static void begin_round(SeenStep& seen, const core::SagaRecord& record);
  void resolve(SeenStep& seen, const core::SagaRecord& record);
  static std::map<SeenStep::Number, SeenAttempt>* attempts_of(SeenStep& seen, core::Direction direction);
};

}  // namespace makegood::sim
