// The threads that run handlers, and what each has in hand. Used with the pool's lock held.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "transports/local/gate.hpp"
#include "transports/local/queue.hpp"
#include "transports/local/slot.hpp"

namespace makegood::local {

class Crew {
 public:
  struct Worker {
    std::shared_ptr<Slot> slot;
    std::thread thread;
    bool has_ended = false;
  };
  /// What a thread does with its slot. It keeps alive what it uses, since a thread that was given up may stay for long.
  using Work = std::function<void(Slot& slot)>;

  /// `size`: how many threads there should be.
  explicit Crew(std::size_t size) : size_(size) { workers_.reserve(size); }

  /// False if the system had no thread to give.
  bool fill_up(const Work& work);
  bool is_empty() const { return workers_.empty(); }
  std::size_t size() const { return size_; }
  /// Given up because their handlers did not return, and still there.
  std::size_t abandoned_count() const { return abandoned_count_; }
  /// A thread that was given up has ended after all.
  void abandoned_ended() { --abandoned_count_; }
  void ended(const Slot& slot);
  bool have_all_ended() const;

  bool has_any(const Completions& done) const;
  /// Of handlers that run for this receiver; null: for any.
  std::vector<std::stop_source> running_for(const Completions* done) const;
  /// What has not been started for this receiver.
  std::vector<Chunk> forget(const Completions& done);
  MonotonicTime next_look(MonotonicTime latest) const;

  /// What the watchdog finds.
  struct Late {
    std::vector<Answers> answers = {};           ///< Inside the gate already.
    std::vector<Chunk> not_started = {};         ///< Behind a handler that takes its time.
    std::vector<std::stop_source> running = {};  ///< Of handlers that are past their timeout, and were given up.
  };
  Late relieve(MonotonicTime now, Gate& gate);
  /// Those that run a handler for this receiver. Answers what each had finished, inside the gate.
  std::vector<Answers> give_up_running(Completions& done, Gate& gate);

  /// Nobody starts anything any more. Answers what was not started.
  std::vector<Chunk> close();
  /// All of them; those that have not ended are given up, and what they had finished goes to `finished`.
  std::vector<Worker> give_up_all(Gate& gate, std::vector<Answers>& finished);

 private:
  void spawn(const Work& work);
  void give_up(Worker& worker);
  void remove_given_up();

  const std::size_t size_;
  std::vector<Worker> workers_;
  std::size_t abandoned_count_ = 0;
};

}  // namespace makegood::local
