// What one lane reads from the log in one look, within its limits.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "makegood/message.hpp"
#include "makegood/spi/routing.hpp"
#include "stores/postgres/connection.hpp"
#include "stores/postgres/late_rows.hpp"

namespace makegood::postgres {

struct ReadLimits {
  std::size_t rows_max = 0;
  std::size_t late_max = 0;    ///< Of these: how many of the numbers that come first.
  std::size_t bytes_max = 0;   ///< Always at least one row.
  std::size_t passed_max = 0;  ///< 0 = no limit.
  std::size_t scan_max = 0;    ///< With a filter: how many rows the statement may go over.
};

/// Messages that are read by their numbers, those of all lanes together.
class Contents {
 public:
  explicit Contents(Connection& connection) : connection_(connection) {}
  void want(Sequence number) { wanted_.add(number); }
  /// All that are wanted, in one statement; but not those that are large.
  Result<> read();
  /// Null: there is no such row any more. What did not come along is read now.
  Result<MessagePtr> message(Sequence number);

 private:
  Connection& connection_;
  Array wanted_{Type::bigint};
  std::unordered_map<Sequence, MessagePtr> messages_;
};

/// What a lane asks for. Holes come first, by number with those that may be late; then what lies in (after, until].
struct LaneReads {
  std::span<const Sequence> holes;
  NumberSet late = {};
  Sequence after = 0;
  Sequence until = 0;
  ReadLimits limits;
  const Filter* filter = nullptr;       ///< Null: every row is wanted.
  const NumberSet* left_out = nullptr;  ///< Of a side lane: open numbers, which it does not read. Null: the main lane.
  bool asks_keys = false;               ///< Some rows may have to wait for others of their key.
};

class LogReader {
 public:
  explicit LogReader(const LaneReads& reads);

  /// Nothing is to be read; there is no statement then.
  bool is_idle() const { return reads_.limits.rows_max == 0; }
  Step statement() const;
  /// What the statement answered. Large contents, and those behind a filter, have to be read from `contents`.
  void take(Rows answer, Contents& contents);
  /// Late rows that the statement did not look for; at once, if there is room.
  void add_late(const NumberSet& numbers, Contents& contents);
  /// Of the late numbers that were asked for: those above the last that fitted, which were not looked at.
  NumberSet not_looked_at() const;
  /// Takes in what fits. What there was no room for, and what has an earlier one of its key among the late rows, joins
  /// these. First the numbers; beyond them, when the keys of all late rows are known.
  Result<> finish_numbers(Contents& contents, LateRows& late);
  Result<> finish_beyond(Contents& contents, LateRows& late);

  std::vector<MessagePtr> rows = {};
  /// Holes that did not fit: after one of them nothing does, so that no row passes another.
  std::vector<Sequence> unread = {};
  std::vector<Sequence> visible = {};  ///< All rows that the statement met, passed ones too.
  Sequence looked_to = 0;              ///< The last row that was looked at.
  bool is_scan_short = false;          ///< More could have been taken in, had the statement gone over more rows.
  bool is_cut = false;  ///< A limit cut the answer short; without a filter beyond `after` it may not tell.

 private:
  struct Candidate {
    Sequence sequence = 0;
    KeyNumber key = {};
    MessagePtr message = {};  ///< Null: to be read, if it is wanted.
    bool is_wanted = true;
  };
  void take_whole(Rows& answer);
  void take_heads(Rows& answer, Contents& contents);
  std::size_t scan_max() const;
  Result<bool> take_in(Candidate& candidate, Contents& contents);
  bool is_main() const { return reads_.left_out == nullptr; }
  bool is_hole(Sequence number) const;
  Result<> finish_holes(Contents& contents);
  Result<> finish_late(Contents& contents, LateRows& late);

  LaneReads reads_;
  std::vector<Candidate> late_ = {};
  std::optional<Sequence> late_end_ = {};  ///< A limit cut the numbers short after this one.
  std::vector<Candidate> beyond_ = {};
  std::size_t rows_left_;
  std::size_t bytes_left_;
  std::size_t passed_left_;
};

}  // namespace makegood::postgres
