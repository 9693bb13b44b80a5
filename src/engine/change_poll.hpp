// When the store is asked whether others have committed anything.
#pragma once

#include "engine/owned.hpp"

namespace makegood::engine {

/// The first sign of a commit may come before it can be seen, so the store is then asked again and again for a while;
/// without a sign it is asked rarely.
class ChangePoll {
 public:
  explicit ChangePoll(Owned& owned) : owned_(owned) {}

  bool may_have_changed(MonotonicTime now);
  /// Something has come, so that more may follow.
  void expect_more(MonotonicTime now);
  MonotonicTime next() const { return next_; }

 private:
  bool has_sign() const;
  Duration wait_without_signs(MonotonicTime now) const;

  Owned& owned_;
  MonotonicTime next_ = {};
  Duration wait_ = {};
  MonotonicTime stirred_until_ = {};  ///< Somebody writes: it may become visible until then.
  MonotonicTime busy_until_ = {};     ///< Something has come, so that more may follow.
};

}  // namespace makegood::engine
