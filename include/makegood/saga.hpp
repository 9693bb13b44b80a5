// Sagas in a program: the orchestrator that carries executions out, and functions as steps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/destination.hpp"
#include "makegood/handlers.hpp"
#include "makegood/observe.hpp"
#include "makegood/saga_definition.hpp"
#include "makegood/spi/saga_store.hpp"
#include "makegood/spi/transport.hpp"

namespace makegood {

struct SagaOptions {
  std::string log = "makegood_saga";  ///< As observers know it.
  Duration lease = std::chrono::seconds(10);
  Duration poll_interval = std::chrono::milliseconds(15);  ///< How often requests of other processes are looked for.
  Duration safety_interval = std::chrono::seconds(1);
  std::size_t executions_max = 20'000;  ///< In memory; those that wait for longer than a moment are not.
  /// Where participants answer later: the URL of this server, as they reach it. Empty: they cannot.
  std::string callback_base_url = {};
  std::string callback_key = {};  ///< Signs callback URLs; the same on all nodes.
};

/// Carries out the executions of one log. `start` runs it on a thread of its own.
class SagaOrchestrator {
 public:
  /// The destinations that steps may name; asked now and then. Called on the orchestrator's thread.
  using ParticipantSource = std::function<Result<std::vector<Destination>>()>;

  /// `transports` must outlive the orchestrator; `observer` may be null.
  SagaOrchestrator(std::unique_ptr<SagaStore> store, std::vector<Transport*> transports, SagaOptions options,
                   ParticipantSource participants, Observer* observer = nullptr, const Clock& clock = system_clock());
  ~SagaOrchestrator();
  SagaOrchestrator(SagaOrchestrator&&) noexcept;
  SagaOrchestrator& operator=(SagaOrchestrator&&) noexcept;

  void start();
  /// Begins no attempt, waits up to `grace` for those under way, records what became of them, gives the shard up.
  void stop(Duration grace = std::chrono::seconds(25));
  /// One exchange and its calls; waits for something to do until `deadline` at the latest. True if anything was done.
  bool run_once(MonotonicTime deadline);
  int wake_descriptor() const;
  MonotonicTime next_wake() const;
  /// There may be new requests. Thread-safe, cheap, never required.
  void wake();

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

/// What a step's function is asked to do.
struct SagaStepInput {
  const StepCall& call;
  std::string_view key;  ///< Of this step, direction and round: the same in every attempt.
  std::string_view tenant_id;
  std::string_view input;  ///< JSON.
};

/// What came of it. An exception counts as unknown: it may have been thrown after the effect.
struct SagaStepResult {
  SagaOutcome outcome = SagaOutcome::ok;
  std::string output = {};  ///< JSON; empty: none.
  std::string code = {};
  std::string detail = {};

  static SagaStepResult ok(std::string output = {}) { return {SagaOutcome::ok, std::move(output), {}, {}}; }
  /// Certainly not done, and it will not be.
  static SagaStepResult fail(std::string code, std::string detail = {}) {
    return {SagaOutcome::fail, {}, std::move(code), std::move(detail)};
  }
  /// Certainly not done; it may be tried again.
  static SagaStepResult retry(std::string code, std::string detail = {}) {
    return {SagaOutcome::retry, {}, std::move(code), std::move(detail)};
  }
  static SagaStepResult unknown(std::string code, std::string detail = {}) {
    return {SagaOutcome::unknown, {}, std::move(code), std::move(detail)};
  }
};
using SagaParticipant = std::function<SagaStepResult(const SagaStepInput&)>;

/// Steps call it as `fn:<name>`.
void add_participant(Handlers& handlers, const std::string& name, SagaParticipant participant,
                     Destination settings = {});

/// Puts a version of a definition; as `SagaView::put_definition`. Errc::invalid names every mistake in it.
Result<std::int64_t> put_definition(SagaView& view, const SagaDefinition& definition);

}  // namespace makegood
