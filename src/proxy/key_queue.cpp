#include "proxy/key_queue.hpp"

#include <utility>

#include "base/error_table.hpp"

namespace makegood::proxy {
namespace {

constexpr Duration probe_interval = std::chrono::seconds(1);
constexpr Duration pause_between_tries = std::chrono::milliseconds(50);

MonotonicTime now() { return system_clock().monotonic(); }

/// The store may be back in a moment, or it is not known whether it has done it. Asked again, it tells.
bool is_of_the_store(Errc code) { return fault_of(code) == Fault::store || fault_of(code) == Fault::moment; }

void add_all(std::vector<std::function<void()>>& calls, auto& tasks, auto& results) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    calls.emplace_back(
        [done = std::move(tasks[i].done), result = std::move(results[i])]() mutable { done(std::move(result)); });
  }
}

}  // namespace

KeyQueue::KeyQueue(std::unique_ptr<IdempotencyStore> store, Parts parts)
    : store_(std::move(store)), parts_(std::move(parts)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void KeyQueue::claim(ClaimTask task) {
  {
    const std::scoped_lock lock(mutex_);
    tasks_.claims.push_back(std::move(task));
  }
  has_task_.notify_one();
}

void KeyQueue::settle(SettleTask task) {
  {
    const std::scoped_lock lock(mutex_);
    tasks_.settles.push_back(std::move(task));
  }
  has_task_.notify_one();
}

void KeyQueue::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

KeyQueue::Tasks KeyQueue::take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto has_come = [this] { return !tasks_.empty(); };
  if (is_failing()) {
    has_task_.wait_for(lock, stop, probe_interval, has_come);
  } else {
    has_task_.wait(lock, stop, has_come);
  }
  return std::exchange(tasks_, {});
}

void KeyQueue::probe() {
  const auto looked = store_->look_up({.key = "-"});
  note(looked ? nullptr : &looked.error());
}

void KeyQueue::note(const Error* error) {
  is_failing_.store(error != nullptr && is_of_the_store(error->code), std::memory_order_relaxed);
}

void KeyQueue::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Tasks tasks = take(stop);
    if (tasks.empty() && is_failing()) probe();
    // Those who have their answer already have waited longer.
    if (!tasks.settles.empty()) settle_all(tasks.settles, stop);
    if (!tasks.claims.empty()) claim_all(tasks.claims, stop);
  }
}

bool KeyQueue::may_ask_again(const Error& error, MonotonicTime since, const std::stop_token& stop) const {
  if (!is_of_the_store(error.code) || error.code == Errc::fenced) return false;
  if (stop.stop_requested() || now() - since >= parts_.patience) return false;
  std::this_thread::sleep_for(pause_between_tries);
  return true;
}

void KeyQueue::claim_all(std::vector<ClaimTask>& tasks, const std::stop_token& stop) {
  std::vector<ClaimRequest> requests;
  requests.reserve(tasks.size());
  for (const ClaimTask& task : tasks) requests.push_back(task.request);
  const MonotonicTime since = now();
  std::vector<Result<ClaimAnswer>> answers = store_->claim(requests);
  while (!answers.front() && may_ask_again(answers.front().error(), since, stop)) answers = store_->claim(requests);
  note(answers.front() ? nullptr : &answers.front().error());
  std::vector<Result<ClaimTask::Claimed>> results;
  results.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!answers[i]) {
      results.emplace_back(std::move(answers[i]).error());
      continue;
    }
    ClaimTask::Claimed claimed{.answer = *std::move(answers[i])};
    if (claimed.answer.outcome == ClaimOutcome::fresh) {
      claimed.held.claim = {std::move(requests[i].key), claimed.answer.token};
      claimed.held.place = parts_.renewals.hold(claimed.held.claim, requests[i].lease, tasks[i].since);
    }
    results.emplace_back(std::move(claimed));
  }
  std::vector<std::function<void()>> calls;
  add_all(calls, tasks, results);
  parts_.deliver(std::move(calls));
}

void KeyQueue::settle_all(std::vector<SettleTask>& tasks, const std::stop_token& stop) {
  std::vector<Result<>> results(tasks.size());
  std::vector<SettleTask*> finishes;
  std::vector<Result<>> finished;
  for (SettleTask& task : tasks) {
    parts_.renewals.let_go(task.held.place);
    if (std::holds_alternative<StoredResult>(task.as)) finishes.push_back(&task);
  }
  if (!finishes.empty()) finish_all(finishes, finished, stop);
  for (std::size_t i = 0, next = 0; i < tasks.size(); ++i) {
    if (std::holds_alternative<StoredResult>(tasks[i].as)) {
      results[i] = std::move(finished[next++]);
      continue;
    }
    const MonotonicTime since = now();
    results[i] = settle_one(tasks[i]);
    while (!results[i] && may_ask_again(results[i].error(), since, stop)) results[i] = settle_one(tasks[i]);
  }
  std::vector<std::function<void()>> calls;
  add_all(calls, tasks, results);
  parts_.deliver(std::move(calls));
}

void KeyQueue::finish_all(std::vector<SettleTask*>& tasks, std::vector<Result<>>& results,
                          const std::stop_token& stop) {
  std::vector<Finish> finishes;
  finishes.reserve(tasks.size());
  for (SettleTask* task : tasks) finishes.push_back({task->held.claim, std::move(std::get<StoredResult>(task->as))});
  const MonotonicTime since = now();
  results = store_->finish(finishes);
  const auto failed = [&]() -> const Error* {
    for (const Result<>& result : results) {
      if (!result && result.error().code != Errc::fenced) return &result.error();
    }
    return nullptr;
  };
  // The same finish twice is no error.
  while (failed() != nullptr && may_ask_again(*failed(), since, stop)) results = store_->finish(finishes);
}

Result<> KeyQueue::settle_one(const SettleTask& task) {
  if (const auto* failure = std::get_if<Failure>(&task.as)) return store_->fail(task.held.claim, *failure);
  MAKEGOOD_TRY(store_->renew(task.held.claim, std::chrono::milliseconds(1)));
  return {};
}

}  // namespace makegood::proxy
