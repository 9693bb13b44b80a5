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
#include "makegood/saga_step.hpp"
#include "makegood/spi/saga_store.hpp"
#include "makegood/spi/transport.hpp"

namespace makegood {

class Endpoints;

struct SagaOptions {
  std::string log = "makegood_saga";  ///< As observers know it.
  Duration lease = std::chrono::seconds(10);
  Duration poll_interval = std::chrono::milliseconds(15);  ///< How often requests of other processes are looked for.
  Duration safety_interval = std::chrono::seconds(1);
  std::size_t executions_max = 20'000;  ///< In memory; those that wait for longer than a moment are not.
  /// Where participants answer later: the URL of this server, as they reach it. Empty: they cannot.
  std::string callback_base_url = {};
  std::string callback_key = {};  ///< Signs callback URLs; the same on all nodes.
  /// How long executions are kept after they have ended well, were undone or cancelled; 0: for ever. As long their ids
  /// are known, and a late answer is recorded.
  Duration retention = std::chrono::hours(24 * 30);
};

/// Carries out the executions of one log. `start` runs it on a thread of its own.
class SagaOrchestrator {
 public:
  /// The destinations that steps may name; asked now and then. Called on the orchestrator's thread.
  using ParticipantSource = std::function<Result<std::vector<Destination>>()>;

  /// `transports` must outlive the orchestrator; `observer` may be null; `endpoints` as of a dispatcher.
  SagaOrchestrator(std::unique_ptr<SagaStore> store, std::vector<Transport*> transports, SagaOptions options,
                   ParticipantSource participants, Observer* observer = nullptr, const Clock& clock = system_clock(),
                   Endpoints* endpoints = nullptr);
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

/// Executions that many threads start at once: those that come while one commit is under way share the next. For
/// whoever has nothing to commit besides; otherwise a start belongs into the caller's own transaction. Thread-safe.
class SagaStarts {
 public:
  /// `started` is called after each commit: `SagaOrchestrator::wake` of the same process, for example. May be null.
  explicit SagaStarts(std::unique_ptr<SagaView> view, std::function<void()> started = {});
  ~SagaStarts();
  SagaStarts(SagaStarts&&) noexcept;
  SagaStarts& operator=(SagaStarts&&) noexcept;

  /// The topic is the definition's name, the event id the execution's, the payload its input. Durable when it returns;
  /// the same start again is answered with the first one. Errc::conflict: this id has another definition, input or key.
  Result<Enqueued> start(const NewMessage& start);

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

/// Steps call it as `fn:<name>`.
void add_participant(Handlers& handlers, const std::string& name, SagaParticipant participant,
                     Destination settings = {});

/// Puts a version of a definition; as `SagaView::put_definition`. Errc::invalid names every mistake in it.
Result<std::int64_t> put_definition(SagaView& view, const SagaDefinition& definition);

}  // namespace makegood
