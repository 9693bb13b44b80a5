#include "rehearsal/stage.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include "api/saga_view.hpp"
#include "base/saga_calls.hpp"
#include "base/saga_json.hpp"
#include "core/saga/participants.hpp"
#include "core/saga/request.hpp"
#include "engine/orchestrated_shard.hpp"
#include "stores/memory/memory.hpp"

namespace makegood::rehearsal {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view execution_id = "rehearsal";
/// Long, so that the days of a compensation that nobody answers are few turns.
constexpr Duration lease = 1h;
constexpr int rounds_max = 200'000;

class StageClock final : public Clock {
 public:
  TimePoint now() const override { return TimePoint(std::chrono::days(20'000)) + passed_; }
  MonotonicTime monotonic() const override { return MonotonicTime(1h) + passed_; }
  void pass(Duration span) { passed_ += span; }

 private:
  Duration passed_ = {};
};

/// Notices that an execution has come to rest.
class Watcher final : public Observer {
 public:
  void sagas(std::string_view /*log*/, std::span<const SagaNews> news) override {
    for (const SagaNews& one : news) is_at_rest = is_at_rest || is_rest(one.kind);
  }
  bool is_at_rest = false;

 private:
  static bool is_rest(SagaNews::Kind kind) {
    switch (kind) {
      case SagaNews::Kind::started:
      case SagaNews::Kind::step_ended:
      case SagaNews::Kind::compensating:
      case SagaNews::Kind::unverified:
      case SagaNews::Kind::replayed:
        return false;
      case SagaNews::Kind::manual:
      case SagaNews::Kind::completed:
      case SagaNews::Kind::compensated:
      case SagaNews::Kind::failed:
      case SagaNews::Kind::cancelled:
        return true;
    }
    return false;
  }
};

std::vector<std::string> uris_of(const SagaDefinition& definition) {
  std::vector<std::string> uris;
  for (const SagaStep& step : definition.steps) {
    if (saga_call_kind(step.action.uri) == SagaCallKind::participant) uris.push_back(step.action.uri);
    if (step.compensation) uris.push_back(step.compensation->uri);
    if (step.check) uris.push_back(step.check->uri);
  }
  return uris;
}

class Stage {
 public:
  Stage(const SagaDefinition& definition, const Play& wanted)
      : definition_(definition), wanted_(wanted), participants_(wanted.script) {
    std::set<std::string> names;
    std::set<std::string> schemes;
    for (const std::string& uri : uris_of(definition_)) {
      names.emplace(core::participant_of(uri).destination);
      schemes.insert(uri.substr(0, uri.find(':')));
    }
    for (const std::string& name : names) destinations_.push_back({.name = name, .circuit = {.failures_max = 0}});
    for (const std::string& scheme : schemes) transports_.emplace_back(scheme, participants_);
  }

  Result<Played> run() {
    MAKEGOOD_TRY(begin());
    for (int round = 0; round < rounds_max && !watcher_.is_at_rest; ++round) {
      MAKEGOOD_TRY(exchange());
      if (participants_.take_crash()) {
        die();
      } else if (!watcher_.is_at_rest && is_idle()) {
        MAKEGOOD_TRY(wait());
      }
    }
    if (watcher_.is_at_rest) return told();
    return Error{Errc::internal, "The rehearsal does not come to an end."};
  }

 private:
  Result<> begin() {
    MAKEGOOD_TRY(memory::open_saga_store(database_, clock_)->migrate());
    MAKEGOOD_TRY(view_->put_definition({.name = definition_.name, .document = encode(definition_)}));
    const NewMessage start{.topic = definition_.name, .payload = wanted_.input, .event_id = std::string(execution_id)};
    const auto appended = MAKEGOOD_TRY(view_->append(std::span(&start, 1)));
    number_ = appended.front().sequence;
    return {};
  }

  Result<> exchange() {
    if (!shard_) open();
    if (!shard_->is_owner()) return take();
    MAKEGOOD_TRY(shard_->look(clock_.monotonic()));
    if (shard_->has_turn()) MAKEGOOD_TRY(shard_->commit());
    shard_->release(clock_.monotonic(), nullptr);
    shard_->absorb();
    shard_->report();
    return {};
  }

  void open() {
    std::vector<Transport*> transports;
    for (FakeTransport& transport : transports_) transports.push_back(&transport);
    const auto known = [this]() -> Result<std::vector<Destination>> { return destinations_; };
    shard_ = std::make_unique<engine::OrchestratedShard>(memory::open_saga_store(database_, clock_), transports,
                                                         SagaOptions{.lease = lease}, known, &watcher_, clock_,
                                                         wake_up_, nullptr);
  }

  Result<> take() {
    const bool is_taken = MAKEGOOD_TRY(shard_->take("owner-" + std::to_string(++owners_), {}, clock_.monotonic()));
    if (!is_taken) clock_.pass(lease / 10);
    return {};
  }

  /// The next owner comes when the lease of this one is over.
  void die() {
    shard_.reset();
    clock_.pass(lease);
  }

  bool is_idle() const { return shard_->is_owner() && shard_->next_exchange(clock_.monotonic()) > clock_.monotonic(); }

  Result<> wait() {
    if (MAKEGOOD_TRY(decide()) || MAKEGOOD_TRY(tell_events())) return {};
    const MonotonicTime next = shard_->next_exchange(clock_.monotonic());
    clock_.pass(std::max<Duration>(1ms, next - clock_.monotonic()));
    return {};
  }

  /// True: somebody has just answered an approval.
  Result<bool> decide() {
    const auto needs_approval = [](const SagaStep& step) { return step.approval.has_value(); };
    if (std::ranges::none_of(definition_.steps, needs_approval)) return false;
    for (const api::SagaStepView& step : MAKEGOOD_TRY(api::read_saga(*view_, number_)).steps) {
      if (!step.is_asked || decided_.contains(step.name)) continue;
      if (MAKEGOOD_TRY(decide(step))) return true;
    }
    return false;
  }

  Result<bool> decide(const api::SagaStepView& step) {
    const auto wanted = wanted_.decisions.find(step.name);
    const Decision decision = wanted == wanted_.decisions.end() ? Decision::approve : wanted->second;
    decided_.insert(step.name);
    if (decision == Decision::nothing) {
      // With nobody to decide and no timeout it stands for ever.
      watcher_.is_at_rest = !step.asked_until;
      return false;
    }
    const NewMessage asked =
        core::request_row(execution_id, {.verb = "decide",
                                         .step = step.name,
                                         .choice = decision == Decision::approve ? "approve" : "reject",
                                         .operator_name = "rehearsal",
                                         .reason = "as it was told to"});
    MAKEGOOD_TRY(view_->append(std::span(&asked, 1)));
    return true;
  }

  /// True: somebody has just told of an event that a step waits for.
  Result<bool> tell_events() {
    const auto waits = [](const SagaStep& step) { return saga_call_kind(step.action.uri) == SagaCallKind::event; };
    if (std::ranges::none_of(definition_.steps, waits)) return false;
    for (const api::SagaStepView& step : MAKEGOOD_TRY(api::read_saga(*view_, number_)).steps) {
      const bool is_due = step.is_awaiting && !wanted_.silent_events.contains(step.name);
      if (!is_due || event_of(step.action).empty() || !told_.insert(step.name).second) continue;
      MAKEGOOD_TRY(tell_event(step));
      return true;
    }
    return false;
  }

  Result<> tell_event(const api::SagaStepView& step) {
    core::SagaRequest event{.verb = "event", .event = std::string(event_of(step.action))};
    const auto output = wanted_.script.outputs.find(step.name);
    if (output != wanted_.script.outputs.end()) event.body = output->second;
    const NewMessage row = core::request_row(execution_id, event);
    MAKEGOOD_TRY(view_->append(std::span(&row, 1)));
    return {};
  }

  Result<Played> told() {
    const api::SagaExecutionView view = MAKEGOOD_TRY(api::read_saga(*view_, number_));
    Played played{.state = view.state,
                  .step = view.failed_step,
                  .code = view.code,
                  .undone = participants_.undone(),
                  .open = view.open,
                  .calls = participants_.calls()};
    for (const api::SagaStepView& step : view.steps) {
      if (step.state == api::SagaStepState::skipped) played.skipped.push_back(step.name);
      const bool has_waited = saga_call_kind(step.action) != SagaCallKind::participant && step.started_at;
      if (has_waited || participants_.has_called(step.name, core::Direction::action)) played.begun.push_back(step.name);
    }
    const bool is_undone = view.state == SagaState::compensated || view.state == SagaState::cancelled;
    for (const SagaStep& step : definition_.steps) {
      if (is_undone && !step.has_no_effect && is_done(step.name)) played.left.push_back(step.name);
    }
    for (const Fault& fault : wanted_.script.faults) played.met.push_back(participants_.has_met(fault));
    return played;
  }

  bool is_done(const std::string& step) const {
    return std::ranges::any_of(participants_.done(), [&](const auto& done) { return defined_name(done) == step; });
  }

  const SagaDefinition& definition_;
  const Play& wanted_;
  StageClock clock_;
  Ids ids_{clock_, 1};
  std::shared_ptr<memory::Database> database_ = memory::new_database(ids_);
  std::unique_ptr<SagaView> view_ = memory::open_saga_view(database_, clock_);
  Participants participants_;
  std::vector<Destination> destinations_;
  std::vector<FakeTransport> transports_;
  Watcher watcher_;
  engine::WakeUp wake_up_;
  std::unique_ptr<engine::OrchestratedShard> shard_;
  std::set<std::string> decided_;
  std::set<std::string> told_;  ///< Steps whose event somebody has told of.
  Sequence number_ = 0;
  int owners_ = 0;
};

}  // namespace

Result<Played> play(const SagaDefinition& definition, const Play& wanted) { return Stage(definition, wanted).run(); }

}  // namespace makegood::rehearsal
