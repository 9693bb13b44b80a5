// When to ask the server for what is new. Soon after something has come, because more may follow. Where the team has
// turned it on, the server tells by itself: while the relay sleeps whoever commits rings, and while it is awake nobody
// does.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/descriptor.hpp"
#include "stores/postgres/connection.hpp"

namespace makegood::postgres {

class WakeUp {
 public:
  using Time = std::chrono::steady_clock::time_point;
  WakeUp();

  /// Listens on a session of its own if the outbox rings, and no pooler stands in between. Failing is no harm. Safe to
  /// call again.
  void begin(Connection& store);
  bool is_asleep() const { return is_asleep_; }
  /// False: somebody is about to commit who found us awake.
  bool fall_asleep();
  /// Whether somebody has rung since the last call. Wakes up when that happens all the time.
  bool was_rung(Time now);
  /// Something has come: the descriptor becomes readable in a moment. Not while asleep.
  void expect_more(Time now);
  /// Since a moment ago, or what it led to has not been taken yet.
  bool is_expecting(Time now) const { return is_timer_set_ || now < expecting_until_; }
  /// Readable when somebody rings, or when it is time to ask; always the same.
  int descriptor() const { return events_.number(); }

 private:
  void wake();
  void stop();
  bool ask(std::string_view sql);
  void watch(bool is_on);
  void take_timer();
  unsigned consume();

  std::unique_ptr<Session> session_;
  std::optional<Identifier> outbox_;
  std::int64_t lock_ = 0;
  bool is_asleep_ = false;
  Time counted_since_ = {};
  unsigned rung_count_ = 0;  ///< Since then.
  Time expecting_until_ = {};
  bool is_timer_set_ = false;  ///< And not taken back yet.
  Descriptor timer_;
  Descriptor events_;
};

}  // namespace makegood::postgres
