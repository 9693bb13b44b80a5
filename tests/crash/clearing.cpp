#include "tests/crash/clearing.hpp"

#include <algorithm>
#include <utility>

#include "tests/crash/failpoints.hpp"
#include "tests/crash/store_at.hpp"
#include "tests/crash/watched_saga_store.hpp"

namespace makegood::crash {
namespace {

using namespace std::chrono_literals;

BankKey key_of(const StepCall& call) {
  const bool is_action = call.direction == "action";
  return {.execution = call.execution, .step = call.step, .round = is_action ? call.round : call.action_round};
}

std::int64_t cents_of(std::string_view step) {
  if (step == "withdraw") return withdrawn;
  if (step == "deposit") return deposited;
  return step == "fee" ? fee : 0;
}

Reply ok() { return {.verdict = Outcome::Kind::ok}; }
Reply fail(const char* code) { return Reply::said(Outcome::fail(code)); }
Reply retry(const char* code) { return Reply::said(Outcome::retry(code)); }
Reply lost() { return Reply::silent("LOST", "The answer was lost on the way."); }
Reply later() { return {.status = 202}; }

SagaStep step(const char* name, std::size_t group, const char* uri, SagaPromise promise) {
  return {.name = name,
          .group = group,
          .action = {.uri = uri},
          .compensation = SagaCall{.uri = uri},
          .participant = promise,
          .retry = {.attempts_max = 3, .base = 10s}};
}

}  // namespace

std::string_view mood_of(std::string_view transfer) { return transfer.substr(0, transfer.find('-')); }

Banks::Banks(const Place& place)
    : alpha(place.folder, "alpha", Bank::Kind::barrier),
      beta(place.folder, "beta", Bank::Kind::late),
      gamma(place.folder, "gamma", Bank::Kind::barrier) {}

SagaDefinition Clearing::definition() {
  SagaStep paid = step("fee", 1, "fn:gamma", SagaPromise::barrier);
  // A bank forgets what it owes when its process dies, and is asked again: each life of a row may cost an attempt.
  paid.retry = {.attempts_max = 20, .base = 10s, .cap = 30s};
  paid.on_failure = {{.code = "RISK", .action = FailureAction::manual, .reason = "somebody has to look"}};
  SagaStep pivot{.name = "confirm", .group = 2, .action = {.uri = "fn:alpha"}, .is_pivot = true};
  SagaStep told{.name = "notify", .group = 3, .action = {.uri = "fn:beta"}};
  return {
      .name = transfer_definition,
      .deadline = 30min,
      .on_end_topic = transfer_ended_topic,
      .steps = {step("withdraw", 0, "fn:alpha", SagaPromise::barrier), step("deposit", 1, "fn:beta", SagaPromise::late),
                std::move(paid), std::move(pivot), std::move(told)}};
}

Clearing::Clearing(const Place& place, const Chronicle& chronicle)
    : banks_(place), transport_(handlers_.transport(), chronicle, owner_) {
  handlers_.answer("alpha", [this](const Delivery& delivery) { return serve(banks_.alpha, delivery); });
  handlers_.answer("beta", [this](const Delivery& delivery) { return serve(banks_.beta, delivery); });
  handlers_.answer("gamma", [this](const Delivery& delivery) { return serve(banks_.gamma, delivery); });
}

Result<std::unique_ptr<Clearing>> Clearing::open(const Place& place, const Chronicle& chronicle, const Clock& clock) {
  std::unique_ptr<Clearing> clearing(new Clearing(place, chronicle));
  auto store = std::make_unique<WatchedSagaStore>(MAKEGOOD_TRY(open_saga_store_at(place, clock)), clearing->owner_);
  MAKEGOOD_TRY(store->migrate());
  const auto participants = [clearing = clearing.get()] { return Result(clearing->handlers_.destinations()); };
  clearing->orchestrator_.emplace(std::move(store), std::vector<Transport*>{&clearing->transport_}, SagaOptions{},
                                  participants, nullptr, clock);
  return clearing;
}

Reply Clearing::serve(Bank& bank, const Delivery& delivery) {
  pass("send.arriving");
  Reply reply = ok();
  if (delivery.call->direction == "action") {
    reply = act(bank, delivery);
  } else {
    bank.undo(key_of(*delivery.call));
  }
  pass("send.arrived");
  return reply;
}

Reply Clearing::act(Bank& bank, const Delivery& delivery) {
  const StepCall& call = *delivery.call;
  const std::string_view mood = mood_of(call.execution);
  if (call.step == "fee" && mood == "broke") return fail("BROKE");
  if (call.step == "fee" && mood == "risky") return fail("RISK");
  if (call.step == "fee" && (mood == "slow" || mood == "fickle")) {
    const std::scoped_lock lock(mutex_);
    owed_.push_back({.key = key_of(call), .attempt = call.attempt});
    return later();
  }
  if (call.step == "deposit" && mood == "patient" && call.attempt == 1) return retry("LATER");
  if (!bank.act(key_of(call), cents_of(call.step))) return fail("COMPENSATED");
  const bool is_lost = mood == "lost" || (mood == "shy" && call.attempt == 1);
  return call.step == "deposit" && is_lost ? lost() : ok();
}

std::vector<Owed> Clearing::take_owed() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(owed_, {});
}

void Clearing::run_for(Duration duration, testing_support::FakeClock& clock) {
  const MonotonicTime until = clock.monotonic() + duration;
  while (clock.monotonic() < until) {
    transport_.await_answers();
    if (orchestrator_->run_once(clock.monotonic())) continue;
    const MonotonicTime wake = std::min(orchestrator_->next_wake(), until);
    clock.advance(std::max<Duration>(wake - clock.monotonic(), 100us));
  }
  transport_.await_answers();
}

}  // namespace makegood::crash
