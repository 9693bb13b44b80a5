// The way out for completions. Once it is closed nobody gets through, and nobody is inside any more.
#pragma once

#include <mutex>
#include <shared_mutex>
#include <utility>

#include "transports/local/slot.hpp"

namespace makegood::local {

class Gate {
 public:
  void post(Answers answers) {
    if (answers.completions.empty()) return;
    const std::shared_lock inside(mutex_);
    if (!is_closed_) answers.done->post(std::move(answers.completions));
  }
  void close() {
    const std::unique_lock alone(mutex_);
    is_closed_ = true;
  }

 private:
  std::shared_mutex mutex_;
  bool is_closed_ = false;
};

}  // namespace makegood::local
