#include "server/saga_queue.hpp"

#include <algorithm>

#include "server/store_trouble.hpp"

namespace makegood::server {
namespace {

/// When an execution is first looked at of which nobody here will tell, and one of which somebody should have told.
constexpr Duration first_look = std::chrono::milliseconds(2);
constexpr Duration first_look_if_told = std::chrono::milliseconds(50);

/// Whoever waits, waits for this.
bool is_outcome(SagaNews::Kind kind) {
  switch (kind) {
    case SagaNews::Kind::manual:
    case SagaNews::Kind::completed:
    case SagaNews::Kind::compensated:
    case SagaNews::Kind::failed:
    case SagaNews::Kind::cancelled:
      return true;
    case SagaNews::Kind::started:
    case SagaNews::Kind::step_ended:
    case SagaNews::Kind::compensating:
    case SagaNews::Kind::replayed:
    case SagaNews::Kind::unverified:
      return false;
  }
  return false;
}

SagaId id_of(const NewMessage& row) { return {row.tenant_id, row.event_id}; }

}  // namespace

SagaQueue::SagaQueue(Parts parts)
    : parts_(std::move(parts)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

bool SagaQueue::push(StartTask task) {
  {
    const std::scoped_lock lock(mutex_);
    if (caller_count_ >= callers_max) return false;
    ++caller_count_;
    if (task.call.wait > Duration::zero()) awaited_.insert(id_of(task.call.row));
    tasks_.push_back(std::move(task));
  }
  has_work_.notify_one();
  return true;
}

void SagaQueue::tell(std::span<const SagaNews> news) {
  const std::scoped_lock lock(mutex_);
  if (awaited_.empty()) return;
  for (const SagaNews& each : news) {
    if (!is_outcome(each.kind)) continue;
    SagaId id(each.tenant_id, each.id);
    if (!awaited_.contains(id)) continue;
    const bool is_completed = each.kind == SagaNews::Kind::completed;
    told_.push_back({std::move(id), each.definition, is_completed ? std::optional(each.output) : std::nullopt});
  }
  if (!told_.empty()) has_work_.notify_one();
}

void SagaQueue::wind_up() {
  const std::scoped_lock lock(mutex_);
  is_winding_up_ = true;
  is_woken_ = true;
  has_work_.notify_one();
}

void SagaQueue::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void SagaQueue::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Work work = take(stop);
    for (std::span<StartTask> rest = work.tasks; !rest.empty() && !stop.stop_requested();) {
      const std::size_t size = std::min(rest.size(), commit_starts_max);
      commit(rest.first(size));
      rest = rest.subspan(size);
    }
    look(work.told);
    flush();
  }
}

/// Waits until somebody starts or is told of something, or a look is due.
SagaQueue::Work SagaQueue::take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto has_work = [this] { return !tasks_.empty() || !told_.empty() || std::exchange(is_woken_, false); };
  if (waits_.empty()) {
    has_work_.wait(lock, stop, has_work);
  } else {
    has_work_.wait_until(lock, stop, waits_.next(), has_work);
  }
  return {std::exchange(tasks_, {}), std::exchange(told_, {})};
}

/// What names no definition hurts nobody else.
void SagaQueue::commit(std::span<StartTask> tasks) {
  std::vector<NewMessage> rows;
  std::vector<StartTask*> good;
  for (StartTask& task : tasks) {
    if (const auto checked = check_definition(task.call); !checked) {
      settle(task, checked.error());
    } else {
      rows.push_back(task.call.row);
      good.push_back(&task);
    }
  }
  if (good.empty()) return;
  const auto appended = append(rows);
  const bool is_one_bad = !appended && good.size() > 1 && !is_of_the_store(appended.error().code);
  for (std::size_t i = 0; i < good.size(); ++i) {
    const auto alone = is_one_bad ? append({&rows[i], 1}) : appended;
    if (!alone) {
      settle(*good[i], alone.error());
    } else {
      settle(*good[i], (*alone)[is_one_bad ? 0 : i]);
    }
  }
  if (parts_.started) parts_.started();
  flush();
}

Result<> SagaQueue::check_definition(const api::SagaStartCall& call) {
  std::pair name(call.row.topic, call.version);
  if (known_.contains(name)) return {};
  auto checked = api::check_saga_definition(*MAKEGOOD_TRY(access())->view, call);
  if (checked) known_.insert(std::move(name));
  if (!checked) forget(checked.error());
  return checked;
}

Result<std::vector<Enqueued>> SagaQueue::append(std::span<const NewMessage> rows) {
  auto appended = MAKEGOOD_TRY(access())->store->append(rows);
  if (!appended) forget(appended.error());
  return appended;
}

/// Of one that was started before nobody may tell again.
void SagaQueue::settle(StartTask& task, const Result<Enqueued>& appended) {
  SagaWaits::Wait wait{.id = id_of(task.call.row), .caller = std::move(task.caller)};
  if (task.call.wait > Duration::zero() && appended) {
    const MonotonicTime now = system_clock().monotonic();
    wait.execution = appended->sequence;
    wait.until = now + task.call.wait;
    wait.look_at = now + (is_told_ ? first_look_if_told : first_look);
    if (appended->was_there) wait.look_at = now;
    return waits_.add(std::move(wait));
  }
  if (task.call.wait > Duration::zero()) answered_.push_back(wait.id);
  replies_.push_back({std::move(wait.caller), appended ? api::saga_start_answer(*access_->view, task.call, *appended)
                                                       : api::saga_start_problem(task.call, appended.error())});
}

/// What its orchestrator has committed need not be read.
void SagaQueue::answer_completed(const Told& told) {
  std::vector<SagaWaits::Wait> waits = waits_.take(told.id);
  if (waits.empty()) return;
  const auto& [tenant_id, id] = told.id;
  const api::Answer outcome = api::saga_completed_answer(
      {.tenant_id = tenant_id, .id = id, .definition = told.definition, .output = *told.output});
  for (SagaWaits::Wait& wait : waits) answer(std::move(wait), outcome);
}

void SagaQueue::look(std::span<const Told> told) {
  const MonotonicTime now = system_clock().monotonic();
  std::vector<SagaId> to_look_at;
  for (const Told& each : told) {
    each.output ? answer_completed(each) : to_look_at.push_back(each.id);
  }
  const std::vector<Sequence> executions = waits_.worth_a_look(to_look_at, now);
  // What could not be looked at is due again in a moment.
  if (const auto looked = look_at(executions); !looked) forget(looked.error());
  for (SagaWaits::Wait& wait : waits_.take_expired(is_winding_up_ ? MonotonicTime::max() : now)) {
    auto open = access();
    api::Answer last = open ? api::saga_standing(*(*open)->view, wait.execution) : api::problem(open.error());
    answer(std::move(wait), std::move(last));
  }
}

/// One round trip for all of them.
Result<> SagaQueue::look_at(std::span<const Sequence> executions) {
  if (executions.empty()) return {};
  SagaStore& store = *MAKEGOOD_TRY(access())->store;
  for (const SagaLoaded& execution : MAKEGOOD_TRY(store.load(executions))) MAKEGOOD_TRY(look_at(execution));
  return {};
}

/// It is over when it has ended, or stands until somebody decides.
Result<> SagaQueue::look_at(const SagaLoaded& execution) {
  const Sequence number = execution.start->sequence;
  SagaView& sagas = *access_->view;
  if (!execution.end) {
    const auto parked = MAKEGOOD_TRY(sagas.parked(number));
    if (!parked || parked->summary.state != SagaState::manual) return {};
  }
  const api::Answer outcome =
      execution.end ? api::saga_end_answer(sagas, *execution.end) : api::saga_standing(sagas, number);
  for (SagaWaits::Wait& wait : waits_.take(number)) answer(std::move(wait), outcome);
  return {};
}

void SagaQueue::answer(SagaWaits::Wait wait, api::Answer answer) {
  answered_.push_back(std::move(wait.id));
  replies_.push_back({std::move(wait.caller), std::move(answer)});
}

void SagaQueue::flush() {
  if (replies_.empty()) return;
  {
    const std::scoped_lock lock(mutex_);
    caller_count_ -= replies_.size();
    for (const SagaId& id : std::exchange(answered_, {})) awaited_.erase(awaited_.find(id));
  }
  parts_.deliver(std::exchange(replies_, {}));
}

Result<api::SagaAccess*> SagaQueue::access() {
  if (!access_) access_ = MAKEGOOD_TRY(parts_.open());
  return &*access_;
}

/// A new connection may be better.
void SagaQueue::forget(const Error& error) {
  if (is_of_the_store(error.code)) access_.reset();
}

}  // namespace makegood::server
