// How far the main lane has read in the log, what it has left behind, and whether the log is still the one that the
// last turn has left.
//
// Each turn keeps the log's mark: the newest row that was read, the counter, and how far the log was cleaned. The store
// compares it in each look. What it finds stops the lane, and the turn says so: from then on nothing is read, by no
// owner, until an operator asks for a rewind or to go on. What was in hand before is still sent.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/spi/position.hpp"
#include "makegood/spi/store.hpp"

namespace makegood::core {

class LogCursor {
 public:
  /// Where a position was under way and is not in hand: numbers, and the names of their destinations.
  using Holes = std::map<Sequence, std::vector<std::string>>;

  /// `careful_rows`: so many are to be read one at a time.
  void begin(const Position& position, LogMark mark, std::size_t careful_rows);
  void committed(LogMark mark);
  /// The look failed: the database may have forgotten what no turn has covered.
  void fall_back(const Position& committed);

  Sequence reached() const { return reached_; }
  const NumberSet& open() const { return open_; }
  const LogMark& mark() const { return mark_; }
  Sequence first_row() const { return first_row_; }
  bool is_careful() const { return careful_rows_ > 0; }
  /// Since the lane was taken.
  bool has_looked() const { return has_looked_; }
  /// Nobody before us can have read it. Owners of whom the database knows no more may have read whatever was there.
  bool is_drawn_under_us(Sequence number) const { return number > found_counter_; }
  /// Since the last turn: what a number meant may be forgotten, and drawn anew.
  bool has_look_failed() const { return has_look_failed_; }
  bool is_more() const { return is_more_; }
  void expect_more(bool is_more) { is_more_ = is_more; }

  /// Nothing is read until an operator has said what to do about the log.
  bool is_stopped() const { return trouble() != LogTrouble::none; }
  LogTrouble trouble() const { return mark_.stopped != LogTrouble::none ? mark_.stopped : trouble_; }
  /// What a look saw of the log. True: it stops the lane, and the next turn has to say so.
  bool watch(const Found& found);
  /// An operator has found out that nothing is missing, or does not want what lies below. Answers the request.
  std::string go_on();
  /// The turn that is being decided begins anew below.
  void rewind(Sequence counter);

  /// What a look has read, and what it knows of the counter, goes into the turn's mark.
  void follow(const Found& found);
  /// Answers which numbers were open before.
  NumberSet replace_open(NumberSet open);
  /// All rows of a look are read. Answers the holes that are no longer in the log.
  std::vector<Sequence> pass(const Found& found);

  const Holes& holes() const { return holes_; }
  bool has_hole(Sequence number, std::string_view destination) const;
  void add_hole(Sequence number, std::string destination) { holes_[number].push_back(std::move(destination)); }
  /// The destinations of this hole, which is in hand from now on; none if there is no such hole.
  std::vector<std::string> take_hole(Sequence number);
  /// All that wait for this destination.
  std::vector<Sequence> take_holes_at(std::string_view destination);

 private:
  Sequence reached_ = 0;
  NumberSet open_;
  Holes holes_;
  LogMark mark_;
  LogMark committed_mark_;
  LogTrouble trouble_ = LogTrouble::none;  ///< As the last look saw it.
  Sequence first_row_ = 0;                 ///< As the last look saw it, if it was asked for.
  std::size_t careful_rows_ = 0;
  Sequence found_counter_ = 0;  ///< As the first look saw it.
  bool has_looked_ = false;
  bool has_look_failed_ = false;
  bool is_more_ = true;
};

}  // namespace makegood::core
