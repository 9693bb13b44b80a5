// What an owner's loop drives: a lane today. One process owns it at a time, and all it writes are turns.
#pragma once

#include <memory>
#include <string_view>

#include "makegood/clock.hpp"
#include "makegood/delivery.hpp"
#include "makegood/result.hpp"
#include "makegood/spi/store.hpp"

namespace makegood::engine {

/// Called by the thread of its loop, except for `drain`. Every answer of the store is returned as it is: the loop knows
/// what to do about an error.
class Owned {
 public:
  struct Pace {
    Duration poll_interval;    ///< How often commits of other processes are looked for.
    Duration safety_interval;  ///< The loop runs at least this often.
  };

  virtual ~Owned() = default;
  /// May change whenever `take_settings` is called.
  virtual Pace pace() const = 0;
  /// What others want to be different. Never called while a decided turn waits for its commit.
  virtual void take_settings() {}

  /// True if it is ours now, false if somebody else has it. `former` is our last id, from which it is taken at once;
  /// `asked_at` is from before the store was asked, so that our lease ends before the store's.
  virtual Result<bool> take(const Owner& owner, const Owner& former, MonotonicTime asked_at) = 0;
  virtual bool is_owner() const = 0;
  /// Nothing is handed to a transport after this, and nothing of it may leave.
  virtual MonotonicTime send_until() const = 0;
  /// All that is known, and a turn that is not committed: another has written, or we do not know what the store knows.
  virtual void forget() = 0;

  /// Reads what there is to do and decides. True if anything new was found, so that more may follow. After an error it
  /// is back at its last turn.
  virtual Result<bool> look(MonotonicTime asked_at) = 0;
  /// A turn is decided, and certainly not written yet.
  virtual bool has_turn() const = 0;
  /// Writes that turn. Errc::fenced and Errc::in_doubt: `forget` follows. After any other error certainly nothing was
  /// written, and the turn is kept: it will be tried again. A turn may end the ownership.
  virtual Result<> commit() = 0;
  /// When an exchange (look, decide, commit) is worth it.
  virtual MonotonicTime next_exchange(MonotonicTime now) const = 0;

  /// Whether others may have committed anything since the last look. Cheap; may say yes too often, never no.
  virtual bool has_changed() = 0;
  /// Readable when somebody writes, perhaps a moment before it can be seen, until `has_changed`. -1: it is asked often.
  virtual int change_descriptor() const = 0;

  /// Takes what came of its sends.
  virtual void absorb() = 0;
  /// Hands what committed turns cover to the transports, with this lease. True if there was anything.
  virtual bool release(MonotonicTime now, const std::shared_ptr<const Lease>& lease) = 0;
  /// When there will be more to release, if only time is missing.
  virtual MonotonicTime next_release(MonotonicTime now) = 0;

  /// Starts nothing new from now on.
  virtual void stop() = 0;
  /// Waits up to `grace` for the sends under way; afterwards no transport reports any more. Called on a thread of its
  /// own, while the loop goes on.
  virtual void drain(Duration grace) = 0;
  /// The next turn ends the ownership.
  virtual void give_up() = 0;

  /// To its observers: `taken`, `lost`, `given up`;
  virtual void ownership_changed(std::string_view what, const Owner& owner) = 0;
  /// something that an operator should see;
  virtual void alarm(const Error& error) = 0;
  /// and, after each round, all that has happened.
  virtual void report() = 0;
};

}  // namespace makegood::engine
