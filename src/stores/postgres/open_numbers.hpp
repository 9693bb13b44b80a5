// Numbers that were drawn and whose rows are not there: which of them may still appear, and which never will.
//
// `nextval` locks the log's sequence before it draws a number, and holds the lock to the end of the whole transaction,
// through PREPARE too. So when a number has been missing for a while, everyone who holds that lock is a witness. When
// none of these holds it any more, and the row is not there in a snapshot taken after that, it was rolled back.
//
// A number that has been looked for since its witnesses are known cannot appear before one of them has ended: until
// then it is asleep, and not looked for. Without that, every look would pass all rows of a large import that is under
// way (300 ms for a million).
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/spi/numbers.hpp"

namespace makegood::postgres {

class OpenNumbers {
 public:
  using Time = MonotonicTime;
  struct Holder {
    /// As long as it stays the same, the transaction has drawn nothing more. Empty: it may be drawing.
    std::string sign = {};
    std::int64_t transaction = 0;  ///< Its id, by which a snapshot tells whether it has ended; 0 if it has none yet.
    bool operator==(const Holder&) const = default;
  };
  /// By virtual transaction: those that hold the lock.
  using Holders = std::map<std::string, Holder>;

  /// Whether the holders should be read before the next look.
  bool wants_holders(Time now) const;
  /// Those that were read before the snapshot of the look whose `missing` is told next.
  void saw_holders(Holders holders, Time now);
  /// Those that need not be looked for, and the transactions that they wait for.
  const NumberSet& asleep() const { return asleep_; }
  std::vector<std::int64_t> waited_for() const;
  /// Some of those have ended. Answers what may have appeared with it.
  NumberSet wake(const std::set<std::int64_t>& ended);
  /// What the look, which found this counter, has missed, and what sleeps. Answers those that may still appear.
  NumberSet still_open(const NumberSet& missing, Sequence counter, Time now);
  /// The look has left some of those that are awake out: it tells the end of none.
  void saw_only_some();
  void clear();

 private:
  using Transactions = std::set<std::int64_t>;
  struct Watched {
    NumberRange range;
    Time since;                                             ///< When it was first missed.
    std::shared_ptr<const Holders> witnesses = {};          ///< Null: it has not been missing for long.
    std::shared_ptr<const Transactions> sleeps_until = {};  ///< Any of these has ended. Null: it is awake.
    bool is_over = false;                                   ///< No witness is left.
  };
  bool may_have_drawn(const std::string& holder, const Watched& watched) const;
  void fall_asleep();
  std::shared_ptr<const Transactions> living(const Holders& witnesses) const;

  std::vector<Watched> watched_;  ///< By number; no two share one.
  NumberSet asleep_;              ///< Of these.
  Holders holders_;               ///< As they were read last.
  Time holders_read_at_ = {};
  bool are_holders_new_ = false;  ///< They were read before the look that is under way.
  /// A holder that does nothing since the counter was here: later numbers are not its.
  struct Still {
    std::string sign;
    Sequence counter;
  };
  std::map<std::string, Still> still_;
};

}  // namespace makegood::postgres
