// One request for each thing that a filter names: counted first, at a rate, with progress, to be paused and ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"

namespace makegood::api {

struct BulkProgress {
  std::size_t total = 0;
  std::size_t asked = 0;
  std::size_t done = 0;
  std::size_t refused = 0;
};

/// What is asked for, of which things.
class BulkWork {
 public:
  virtual ~BulkWork() = default;
  /// How many there are.
  virtual Result<std::size_t> count() = 0;
  /// Asks for the next ones, at most so many. Nothing: there are no more.
  virtual Result<std::size_t> ask_for_more(std::size_t count_max) = 0;
  /// Counts what was answered meanwhile.
  virtual Result<> hear(BulkProgress& progress) = 0;
  /// What is asked for and not answered.
  virtual std::size_t open_count() const = 0;
};

struct BulkPace {
  double rate_per_second = 0;  ///< 0: as fast as it goes.
  std::optional<std::size_t> limit = {};
  std::optional<Duration> answer_wait = {};  ///< Nothing: answers are waited for as long as it takes.
};

/// How others end it, or let it stand.
struct BulkControl {
  std::stop_token stop = {};
  std::shared_ptr<const std::atomic<bool>> is_paused = {};
};

using TellProgress = std::function<void(const BulkProgress&)>;

/// Returns when everything has been asked for and answered, when it is told to stop, or when answers have not come for
/// `answer_wait`.
Result<> carry_out(BulkWork& work, const BulkPace& pace, const BulkControl& control, const TellProgress& tell);

}  // namespace makegood::api
