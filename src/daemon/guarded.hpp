// A value that one thread replaces while others ask for it.
#pragma once

#include <mutex>
#include <utility>

namespace makegood::daemon {

template <class Value>
class Guarded {
 public:
  explicit Guarded(Value value = {}) : value_(std::move(value)) {}

  Value get() const {
    const std::scoped_lock lock(mutex_);
    return value_;
  }
  void set(Value value) {
    const std::scoped_lock lock(mutex_);
    value_ = std::move(value);
  }

 private:
  mutable std::mutex mutex_;
  Value value_;
};

}  // namespace makegood::daemon
