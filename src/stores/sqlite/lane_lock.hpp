// The operating system's lock of a lane: the kernel drops it when its holder dies, which tells the others at once.
#pragma once

#include <string>
#include <utility>

#include "makegood/result.hpp"

namespace makegood::sqlite {

/// A file beside the database. Two objects exclude each other in one process too. The lock only says that a holder is
/// alive; who owns the lane is decided by turns.
class LaneLock {
 public:
  explicit LaneLock(std::string file) : file_(std::move(file)) {}
  ~LaneLock() { release(); }
  LaneLock(const LaneLock&) = delete;
  LaneLock& operator=(const LaneLock&) = delete;

  bool is_held() const { return descriptor_ >= 0; }
  /// True: held now.
  Result<bool> try_acquire();
  void release();

 private:
  // Constant after construction.
  const std::string file_;

  int descriptor_ = -1;
};

}  // namespace makegood::sqlite
