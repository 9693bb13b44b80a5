// One source: its thread polls the broker and writes each batch into the log with the place behind it, in one
// transaction. The broker is told afterwards, and never asked where to go on.
//
// Whoever reads without being the reader any more (a frozen process that wakes) writes nothing: the place
// that it remembers is not the store's. It then goes on from where the store says.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "engine/arrival_message.hpp"
#include "makegood/observe.hpp"
#include "makegood/spi/source.hpp"
#include "makegood/spi/source_store.hpp"

namespace makegood {

struct ConsumerOptions {
  std::string outbox;  ///< Whose log it is.
  ArrivalRules rules;
  std::size_t backlog_max = 10'000;
  PollLimits limits = {};
};

class Consumer {
 public:
  struct Parts {
    std::function<Result<std::unique_ptr<SourceStore>>()> open_store;
    std::function<Result<std::unique_ptr<Source>>()> open_source;
    std::function<void()> wake;  ///< There is something new in the log.
    Observer* observer = nullptr;
  };

  Consumer(ConsumerOptions options, Parts parts) : options_(std::move(options)), parts_(std::move(parts)) {}
  ~Consumer() { stop(); }
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;

  void start();
  /// Nothing is read any more when it returns. What was read and not written comes again.
  void stop();
  /// Of the lane that delivers what is taken in. Only its owner reads, and only while the log is not full. Thread-safe.
  void note(const LaneFigures& lane);

 private:
  /// A batch as it is written.
  struct Batch {
    std::vector<NewMessage> messages = {};
    std::vector<SourceMove> moves = {};
    std::size_t unreadable = 0;
  };

  void run(const std::stop_token& stop);
  void rest(const std::stop_token& stop, Duration time);
  Result<> read_on();
  Result<> open();
  Result<> begin_again();
  Result<std::string> place_of(const std::string& partition);
  bool is_full() const;
  Result<> take(const std::vector<Arrival>& arrivals);
  Result<> take_one_by_one(const std::vector<Arrival>& arrivals);
  Result<> write(const Batch& batch);
  Batch batch_of(const std::vector<Arrival>& arrivals) const;
  void failed(const Error& error);
  void lost(const std::vector<std::string>& partitions);
  void stopped(std::string_view code, const std::string& because);
  void went_well();
  void tell_behind();
  void tell(const SourceNews& news) const;

  // Constant after construction.
  const ConsumerOptions options_;
  const Parts parts_;

  // Set by others.
  std::atomic<bool> is_owner_ = false;
  std::atomic<std::size_t> pending_ = 0;

  // Used by the thread only.
  std::unique_ptr<SourceStore> store_;
  std::unique_ptr<Source> source_;
  std::vector<std::string> partitions_;
  std::map<std::string, std::string> next_;  ///< Of each partition, as the store has it.
  bool must_begin_ = false;                  ///< What is polled is not what comes next.
  bool is_held_ = false;
  std::set<std::string> gone_;  ///< Partitions that stand still.
  bool reads_ = false;          ///< And has said so.
  MonotonicTime behind_told_at_ = {};
  std::string told_;
  Duration patience_ = {};

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;  // Last: it uses all of the above.
};

}  // namespace makegood
