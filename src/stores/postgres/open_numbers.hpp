// Numbers that were drawn and whose rows are not there: which of them may still appear, and which never will.
//
// `nextval` locks the log's sequence before it draws a number, and holds the lock to the end of the whole transaction,
// through PREPARE too. So when a number has been missing for a while, everyone who holds that lock is a witness. When
// none of these holds it any more, and the row is not there in a snapshot taken after that, it was rolled back.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "makegood/message.hpp"

namespace makegood::postgres {

/// Numbers from `low` to `high`.
struct NumberRange {
  Sequence low = 0;
  Sequence high = 0;
  bool operator==(const NumberRange&) const = default;
};

/// Sorted numbers, as few ranges.
std::vector<NumberRange> ranges_of(std::span<const Sequence> numbers);
/// All of `ranges` that is not in `numbers`. Both are sorted.
std::vector<NumberRange> without(std::span<const NumberRange> ranges, std::span<const Sequence> numbers);

class OpenNumbers {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// The virtual transactions that hold the lock, each with a sign of its stillness: as long as that stays the same,
  /// the transaction has drawn nothing more. Empty: it may be drawing.
  using Holders = std::map<std::string, std::string>;

  /// Whether the holders should be read before the next look.
  bool wants_holders(Time now) const;
  /// Those that were read before the snapshot of the look whose `missing` is told next.
  void saw_holders(Holders holders, Time now);
  /// What the look, which found this counter, has missed. Answers those that may still appear.
  std::vector<NumberRange> still_open(std::span<const NumberRange> missing, Sequence counter, Time now);
  void clear();

 private:
  struct Watched {
    NumberRange range;
    Time since;                                     ///< When it was first missed.
    std::shared_ptr<const Holders> witnesses = {};  ///< Null: it has not been missing for long.
    bool is_over = false;                           ///< No witness is left.
  };
  bool may_have_drawn(const std::string& holder, const Watched& watched) const;

  std::vector<Watched> watched_;  ///< By number; no two share one.
  Holders holders_;               ///< As they were read last.
  Time holders_read_at_ = {};
  /// A holder that does nothing since the counter was here: later numbers are not its.
  struct Still {
    std::string sign;
    Sequence counter;
  };
  std::map<std::string, Still> still_;
};

}  // namespace makegood::postgres
