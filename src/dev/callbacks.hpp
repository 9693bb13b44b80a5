// Answers that fake participants give later.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace makegood::dev {

/// Thread-safe. What is not sent when it ends is never sent.
class Callbacks {
 public:
  Callbacks();
  /// POSTs `body` to `url` when so much time has passed.
  void add(std::string url, std::string body, std::chrono::milliseconds after);

 private:
  using RealTime = std::chrono::steady_clock::time_point;
  struct Callback {
    RealTime at;
    std::string url;
    std::string body;
  };
  void run(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any added_;
  std::vector<Callback> waiting_;  ///< Guarded by mutex_.
  std::jthread thread_;            // Last: it uses the others until it ends.
};

}  // namespace makegood::dev
