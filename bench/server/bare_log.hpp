// A log of the database's bare library behind a bare server: all requests that arrive during one commit go into the
// next.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bench/bare.hpp"

namespace makegood::bench {

class BareLog {
 public:
  /// Called by its thread, with the requests of one commit.
  using Stored = std::function<void(std::vector<std::function<void()>>)>;

  BareLog(const std::string& store_url, Stored stored);

  /// `answer` is handed back when a row for it is stored.
  void store(std::function<void()> answer);

 private:
  void run(const std::stop_token& stop);

  const std::unique_ptr<Bare> bare_;
  const Stored stored_;
  std::mutex mutex_;
  std::condition_variable_any is_asked_;
  std::vector<std::function<void()>> waiting_;
  std::jthread thread_;
};

}  // namespace makegood::bench
