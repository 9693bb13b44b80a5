#include <exception>
#include <utility>

#include "base/saga_check.hpp"
#include "base/saga_children.hpp"
#include "base/saga_json.hpp"
#include "engine/orchestrated_shard.hpp"
#include "engine/owner_loop.hpp"
#include "makegood/saga.hpp"

namespace makegood {
namespace {

Reply reply_of(SagaStepResult result) {
  switch (result.outcome) {
    case SagaOutcome::ok: {
      Reply reply{.verdict = Outcome::Kind::ok};
      Reply::Content content{.body = std::move(result.output)};
      reply.content = std::make_shared<const Reply::Content>(std::move(content));
      return reply;
    }
    case SagaOutcome::fail:
      return Reply::said(Outcome::fail(std::move(result.code), std::move(result.detail)));
    case SagaOutcome::retry:
      return Reply::said(Outcome::retry(std::move(result.code), std::move(result.detail)));
    case SagaOutcome::unknown:
      return Reply::silent(std::move(result.code), std::move(result.detail));
  }
  return {};
}

Reply thrown(std::string_view what) { return Reply::silent(std::string(to_string(Errc::internal)), std::string(what)); }

Reply call(const SagaParticipant& participant, const Delivery& delivery) {
  if (delivery.call == nullptr) {
    return Reply::said(Outcome::fail(std::string(to_string(Errc::invalid)), "This function is a step of sagas."));
  }
  try {
    return reply_of(participant({.call = *delivery.call,
                                 .key = delivery.message->event_id,
                                 .tenant_id = delivery.message->tenant_id,
                                 .input = delivery.message->content,
                                 .stop = current_step_stop_token()}));
  } catch (const Retry& retry) {
    return Reply::said(Outcome::retry(retry.code, retry.detail));
  } catch (const Fail& fail) {
    return Reply::said(Outcome::fail(fail.code, fail.detail));
  } catch (const std::exception& error) {
    return thrown(error.what());
  } catch (...) {
    return thrown("The step threw something that is not a std::exception.");
  }
}

}  // namespace

/// A shard and the loop that drives it.
class SagaOrchestrator::Parts {
 public:
  Parts(std::unique_ptr<SagaStore> store, std::vector<Transport*> transports, SagaOptions options,
        ParticipantSource participants, Observer* observer, const Clock& clock, Endpoints* endpoints)
      : shard(std::move(store), std::move(transports), std::move(options), std::move(participants), observer, clock,
              wake_up, endpoints),
        owner(shard, wake_up, clock) {}

  engine::WakeUp wake_up;
  engine::OrchestratedShard shard;
  engine::OwnerLoop owner;  // Last: it uses the others until it ends.
};

SagaOrchestrator::SagaOrchestrator(std::unique_ptr<SagaStore> store, std::vector<Transport*> transports,
                                   SagaOptions options, ParticipantSource participants, Observer* observer,
                                   const Clock& clock, Endpoints* endpoints)
    : parts_(std::make_unique<Parts>(std::move(store), std::move(transports), std::move(options),
                                     std::move(participants), observer, clock, endpoints)) {}

SagaOrchestrator::~SagaOrchestrator() = default;
SagaOrchestrator::SagaOrchestrator(SagaOrchestrator&&) noexcept = default;
SagaOrchestrator& SagaOrchestrator::operator=(SagaOrchestrator&&) noexcept = default;

void SagaOrchestrator::start() { parts_->owner.start(); }
void SagaOrchestrator::stop(Duration grace) { parts_->owner.stop(grace); }
bool SagaOrchestrator::run_once(MonotonicTime deadline) { return parts_->owner.run_once(deadline); }
int SagaOrchestrator::wake_descriptor() const { return parts_->owner.wake_descriptor(); }
MonotonicTime SagaOrchestrator::next_wake() const { return parts_->owner.next_wake(); }
void SagaOrchestrator::wake() { parts_->wake_up.wake(); }

void add_participant(Handlers& handlers, const std::string& name, SagaParticipant participant, Destination settings) {
  handlers.answer(
      name, [participant = std::move(participant)](const Delivery& delivery) { return call(participant, delivery); },
      std::move(settings));
}

Result<std::int64_t> put_definition(SagaView& view, const SagaDefinition& definition) {
  MAKEGOOD_TRY(check(definition));
  MAKEGOOD_TRY(check_children(view, definition));
  SagaDefinition stored = definition;
  settle_children(stored);
  return view.put_definition({.name = stored.name, .version = stored.version, .document = encode(stored)});
}

}  // namespace makegood
