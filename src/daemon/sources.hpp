// The sources of a daemon: what is registered in the store for its outboxes is read here, by whoever owns the lane of
// the outbox. Who registers none has neither tables nor a thread that reads.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/sources.hpp"
#include "config/config.hpp"
#include "engine/consumer.hpp"
#include "makegood/observe.hpp"
#include "makegood/spi/source_store.hpp"
#include "observe/log.hpp"

namespace makegood::daemon {

/// As an observer it hears who owns a lane, and how much waits in it.
class Sources final : public Observer {
 public:
  struct Parts {
    observe::Log& log;
    std::shared_ptr<Transports> transports;
    std::function<void(std::string_view outbox)> wake;  ///< There is something new in its log.
  };
  /// The parts must outlive it.
  Sources(const config::Config& config, Parts parts) : store_(config.store), parts_(std::move(parts)) {}
  ~Sources() override { stop(); }
  Sources(const Sources&) = delete;
  Sources& operator=(const Sources&) = delete;

  /// `observer` hears what becomes of them.
  void start(Observer& observer);
  /// There is another source, or one is another. Thread-safe.
  void wake();
  /// Nothing more is taken in when it returns.
  void stop();

  void figures(std::string_view outbox, const LaneFigures& figures) override;

 private:
  using Key = std::pair<std::string, std::string>;  ///< Outbox and name.
  struct Reading {
    std::int64_t version = 0;
    std::shared_ptr<Consumer> consumer;
  };

  void watch(const std::stop_token& stop);
  void look_at(const std::string& outbox);
  Result<std::vector<SourceRow>> sources_of(const std::string& outbox);
  void keep(const std::string& outbox, const std::vector<SourceRow>& rows);
  Result<> begin(const std::string& outbox, const SourceRow& row);
  void end(const Key& key);
  void tell(const std::string& outbox, const Error& error);

  // Constant after construction, or after start.
  const config::StoreConfig store_;
  const Parts parts_;
  Observer* observer_ = nullptr;

  // Used by the thread only.
  std::map<std::string, std::unique_ptr<SourceStore>> stores_;
  std::map<std::string, std::string> told_;

  std::mutex mutex_;
  std::condition_variable_any woken_;
  // Guarded by mutex_.
  bool is_woken_ = false;
  std::map<Key, Reading> reading_;
  std::map<std::string, LaneFigures, std::less<>> lanes_;

  std::jthread thread_;  // Last: it uses all of the above.
};

}  // namespace makegood::daemon
