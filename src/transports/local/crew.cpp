#include "transports/local/crew.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace makegood::local {

bool Crew::fill_up(const Work& work) {
  try {
    while (workers_.size() < size_) spawn(work);
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

void Crew::spawn(const Work& work) {
  auto slot = std::make_shared<Slot>();
  std::thread thread([work, slot] { work(*slot); });
  workers_.push_back({.slot = std::move(slot), .thread = std::move(thread)});
}

void Crew::ended(const Slot& slot) {
  const auto worker = std::ranges::find_if(workers_, [&](const Worker& w) { return w.slot.get() == &slot; });
  if (worker != workers_.end()) worker->has_ended = true;
}

bool Crew::have_all_ended() const { return std::ranges::all_of(workers_, &Worker::has_ended); }

bool Crew::has_any(const Completions& done) const {
  return std::ranges::any_of(workers_, [&](const Worker& worker) { return worker.slot->has_any(done); });
}

std::vector<std::stop_source> Crew::running_for(const Completions* done) const {
  std::vector<std::stop_source> running;
  for (const Worker& worker : workers_) {
    if (done == nullptr || worker.slot->has_any(*done)) running.push_back(worker.slot->stop_source());
  }
  return running;
}

std::vector<Chunk> Crew::forget(const Completions& done) {
  std::vector<Chunk> forgotten;
  for (const Worker& worker : workers_) forgotten.push_back(worker.slot->forget(done));
  return forgotten;
}

MonotonicTime Crew::next_look(MonotonicTime latest) const {
  for (const Worker& worker : workers_) latest = worker.slot->look_at(latest);
  return latest;
}

Crew::Late Crew::relieve(MonotonicTime now, Gate& gate) {
  Late late;
  for (Worker& worker : workers_) {
    Relief relief = worker.slot->relieve(now);
    if (!relief.finished.reports.empty()) {
      gate.enter(relief.finished.done);
      late.answers.push_back(std::move(relief.finished));
    }
    late.not_started.push_back(std::move(relief.not_started));
    if (!relief.is_abandoned) continue;
    late.running.push_back(worker.slot->stop_source());
    give_up(worker);
  }
  remove_given_up();
  return late;
}

/// As the watchdog does at a timeout, but nobody is told.
std::vector<Answers> Crew::give_up_running(Completions& done, Gate& gate) {
  std::vector<Answers> finished;
  for (Worker& worker : workers_) {
    auto answers = worker.slot->abandon_running(done);
    if (!answers) continue;
    gate.enter(&done);
    finished.push_back(std::move(*answers));
    give_up(worker);
  }
  remove_given_up();
  return finished;
}

void Crew::give_up(Worker& worker) {
  ++abandoned_count_;
  worker.thread.detach();
}

void Crew::remove_given_up() {
  std::erase_if(workers_, [](const Worker& worker) { return !worker.thread.joinable(); });
}

std::vector<Chunk> Crew::close() {
  std::vector<Chunk> not_started;
  not_started.reserve(workers_.size());
  for (const Worker& worker : workers_) not_started.push_back(worker.slot->close());
  return not_started;
}

std::vector<Crew::Worker> Crew::give_up_all(Gate& gate, std::vector<Answers>& finished) {
  for (const Worker& worker : workers_) {
    if (worker.has_ended) continue;
    gate.enter(worker.slot->done());
    finished.push_back(worker.slot->abandon());
  }
  return std::exchange(workers_, {});
}

}  // namespace makegood::local
