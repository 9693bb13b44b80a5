// The promises of sagas, compared with what turns write, what leaves, and what the participants' ledgers say at the
// end.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/saga_database.hpp"
#include "sim/saga_participants.hpp"
#include "sim/saga_story.hpp"

namespace makegood::sim {

class SagaChecker {
 public:
  SagaChecker(const SagaDatabase& database, SagaParticipants& participants, const core::ShardOptions& options,
              bool is_clock_steady)
      : database_(database),
        participants_(participants),
        lease_(options.lease),
        grace_(options.grace),
        revisions_max_(options.revisions_max),
        is_clock_steady_(is_clock_steady) {}

  /// Somebody has taken the shard, whose last turn was written at `last`.
  void taken(TimePoint last);
  /// The look of a living owner found the store's clock far ahead: it was away.
  void looked(TimePoint last);
  /// The newest version of a definition, by a request with this number.
  void applied(const std::string& name, Sequence number);
  /// It is about to be written.
  void turn(const SagaTurn& turn);
  void sent(const core::SagaCallOut& call, TimePoint now);
  /// The database has fallen back: what was decided since is not known any more.
  void forgot(const std::map<Sequence, std::vector<JournalRow>>& before);
  void at_rest();

  const std::vector<std::string>& violations() const { return violations_; }
  void violated(const std::string& promise, Sequence number, const std::string& sentence);
  const std::string& culprit() const { return culprit_; }
  const SagaStory& story(Sequence number) { return stories_[number]; }
  /// How often the step is done now, as its participant knows; of a child, as its executions say.
  int effects_of(Sequence number, const std::string& step);
  bool is_tainted(Sequence number) const { return tainted_.contains(number); }

 private:
  using Sent = std::tuple<Sequence, std::string, core::Direction, std::uint32_t, std::uint32_t>;

  void check(Sequence number, const core::SagaRecord& record);
  void check_version(Sequence number, const core::SagaRecord& record);
  void check_key(Sequence number, const core::SagaRecord& record);
  void check_queue(const SagaParked& row);
  void check_pinned(Sequence number, const SagaStep& step, const core::SagaRecord& record);
  void check_giving_up(Sequence number, const core::SagaRecord& record);
  void check_action(Sequence number, const SagaStep& step, const core::SagaRecord& record);
  void check_compensation(Sequence number, const SagaStep& step, const core::SagaRecord& record);
  void check_order(Sequence number, const SagaStep& step);
  void check_turning(Sequence number, const core::SagaRecord& record);
  void check_answer(Sequence number, const SagaStep& step, const core::SagaRecord& record);
  void check_end(const SagaEnd& end);
  void check_message(Sequence number, const core::SagaRecord& record, const std::vector<NewMessage>& messages);
  void note_forgotten_parent(Sequence number);
  void check_spread(Sequence number, const core::SagaRecord& record);
  void check_item(Sequence number, const core::SagaRecord& record);
  void check_child(Sequence number, const core::SagaRecord& record, const std::vector<NewMessage>& requests);
  std::vector<Sequence> children_of(Sequence number, const std::string& step) const;
  void check_waiting(Sequence number, const core::SagaRecord& record);
  void check_event(Sequence number, const core::SagaRecord& record);
  void check_happening(Sequence number, const core::SagaRecord& record);
  void check_expiry(Sequence number, const core::SagaRecord& record);
  void check_begin(Sequence number, const core::SagaRecord& record);
  void settle_events();
  void check_extension(Sequence number, const std::string& step, const core::SagaRecord& record);
  void note_told(Sequence number, const std::vector<JournalRow>& rows);
  void note_resolution(Sequence number, const SagaStep& step, const core::SagaRecord& record);
  Duration downtime_since(TimePoint time) const;
  SagaDefinitionPtr definition_of(Sequence number, const core::SagaRecord& record) const;
  void settle(Sequence number, const SagaEnd& end);
  void settle_step(Sequence number, const SagaEnd& end, const SagaStep& step);
  bool is_unverified(Sequence number, const SagaStep& step);
  std::string id_of(Sequence number) const;

  const SagaDatabase& database_;
  SagaParticipants& participants_;
  const Duration lease_;
  const Duration grace_;
  const std::size_t revisions_max_;
  const bool is_clock_steady_;  ///< Otherwise nobody can say how long anything took.
  TimePoint taken_at_ = {};
  std::map<std::string, std::map<Sequence, std::int64_t>> applied_;  ///< Versions, by the request that told of them.
  std::vector<std::pair<TimePoint, TimePoint>> absences_;
  std::map<Sequence, SagaStory> stories_;
  std::set<Sent> durable_;
  std::map<std::string, std::tuple<Sequence, std::string, core::Direction, std::uint32_t>> keys_;
  std::set<Sequence> tainted_;
  std::map<Sequence, std::set<Sequence>> told_;  ///< Of each execution: the requests that its journal names.
  std::vector<std::string> violations_;
  std::string culprit_;
};

}  // namespace makegood::sim
