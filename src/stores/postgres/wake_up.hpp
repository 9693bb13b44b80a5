// Where the team has turned it on, the server tells by itself what is new: while the relay sleeps whoever commits
// rings, and while it is awake nobody does.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/descriptor.hpp"
#include "makegood/clock.hpp"
#include "stores/postgres/connection.hpp"

namespace makegood::postgres {

class WakeUp {
 public:
  using Time = MonotonicTime;
  WakeUp();

  /// Listens on a session of its own if the outbox rings, and no pooler stands in between. Failing is no harm. Safe to
  /// call again.
  void begin(Connection& store);
  bool is_asleep() const { return is_asleep_; }
  /// False: somebody is about to commit who found us awake, or there is no rest.
  bool fall_asleep(Time now);
  /// Whether somebody has rung since the last call. Wakes up when that happens all the time.
  bool was_rung(Time now);
  /// Something has come. Who was woken by too many does not fall asleep before it has been quiet for a while.
  void expect_more(Time now);
  /// Readable when somebody rings; always the same.
  int descriptor() const { return events_.number(); }

 private:
  void wake();
  void stop();
  bool ask(std::string_view sql);
  void watch(bool is_on);
  unsigned consume();

  std::unique_ptr<Session> session_;
  std::optional<Identifier> outbox_;
  std::int64_t lock_ = 0;
  bool is_asleep_ = false;
  Time counted_since_ = {};
  unsigned rung_count_ = 0;   ///< Since then.
  bool is_restless_ = false;  ///< Was woken by too many.
  Time expecting_until_ = {};
  Descriptor events_;
};

}  // namespace makegood::postgres
