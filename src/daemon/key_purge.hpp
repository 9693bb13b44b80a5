// Deletes idempotency keys whose time is over and old events of the inbox, in bounded steps, and counts what is there.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include "api/key_figures.hpp"
#include "api/key_news.hpp"
#include "config/config.hpp"
#include "observe/log.hpp"

namespace makegood::daemon {

class KeyPurge {
 public:
  struct Parts {
    api::KeyFigures& figures;
    observe::Log& log;
    std::function<void(const api::KeyNews& news)> tell;
  };
  /// The parts must outlive it.
  KeyPurge(const config::Config& config, Parts parts);

  void start();
  void stop();

 private:
  void run(const std::stop_token& stop);
  /// Nothing where nobody has used keys yet: their tables are not made for a purge.
  Result<> purge_once(const std::stop_token& stop);
  Result<bool> open();
  /// Each once, as long as it stays in doubt.
  Result<> tell_of_doubts();
  void tell(const Error& error);

  // Constant after construction.
  const std::string url_;
  const std::string schema_;
  const config::IdempotencyConfig config_;
  const Parts parts_;

  // Used by the thread only.
  std::unique_ptr<IdempotencyStore> store_;
  std::string told_;                   ///< The error that was logged last.
  std::set<IdempotencyKey> doubtful_;  ///< Keys in doubt that were told of.

  std::mutex mutex_;
  std::condition_variable_any has_ended_;
  std::jthread thread_;  // Last: it uses all of the above.
};

}  // namespace makegood::daemon
