// Whether anything has come since the last look. The server is asked, or rings where the team has turned that on.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/spi/store.hpp"
#include "stores/postgres/number_ranges.hpp"
#include "stores/postgres/open_numbers.hpp"
#include "stores/postgres/wake_up.hpp"

namespace makegood::postgres {

class News {
 public:
  /// The lane was taken: nothing is known, and the server may ring from now on.
  void begin(Connection& connection);
  /// Something was written, or a look has failed: there is news until the next look.
  void expect() { seen_to_.reset(); }
  bool has_come(Connection& connection, const OpenNumbers& open, MonotonicTime now);
  /// Of who rings; -1 while nobody would, so that we are asked now and then.
  int descriptor() const;
  /// When the server was asked for news a moment ago and knew of no request. Answers it once.
  bool take_no_request() { return std::exchange(has_just_no_request_, false); }

  // What a look has seen.
  void saw_to(Sequence to) { seen_to_ = to; }
  void saw_open(NumberSet open) { open_ = std::move(open); }
  void saw_requests(std::span<const Request> requests);
  void saw_rows(MonotonicTime now) { wake_up_.expect_more(now); }
  void answered(std::span<const RequestAnswer> answers);
  /// Whether the log goes on behind this number, as far as was seen.
  bool goes_on_after(Sequence reached) const { return seen_to_ && *seen_to_ > reached; }

 private:
  bool ask(Connection& connection, const OpenNumbers& open);
  bool ask_with(Connection& connection, const RangeArrays& awake, const OpenNumbers& open);

  std::optional<Sequence> seen_to_;  ///< Every visible row up to here. Nothing: a look has to be made.
  NumberSet open_;
  std::vector<std::int64_t> requests_;
  bool has_just_no_request_ = false;
  MonotonicTime asked_at_ = {};
  WakeUp wake_up_;
  bool is_just_taken_ = false;  ///< Nobody has asked for news since.
};

}  // namespace makegood::postgres
