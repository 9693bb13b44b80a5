// A relay without threads: the lane over a real store, one step at a time, by a clock that moves only when told.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/lane.hpp"
#include "tests/support/fake_clock.hpp"

namespace makegood::testing_support {

class RelayByHand {
 public:
  /// What a destination says to a delivery, at once; nothing: it does not answer.
  using Answer = std::function<std::optional<Outcome>(const Delivery&)>;

  RelayByHand(OutboxStore& store, FakeClock& clock, const DispatcherOptions& options);

  /// False when somebody else has the lane. `former`: an id of one's own that may be taken from at once.
  bool take(const Owner& former = {});
  /// The exchange. look() decides and says whether there is a turn to commit.
  bool look();
  void commit();
  bool exchange();
  /// What may be sent now; it is in flight until it is answered.
  std::vector<Delivery> release();
  void answer(Sequence sequence, const std::string& destination, Outcome outcome);
  /// As the loop does: what happens at this moment, until nothing more does. Everything sent is shown to `answer`.
  void run(const Answer& answer);
  /// The same, moving the clock from event to event up to `end`.
  void run_until(MonotonicTime end, const Answer& answer);

  core::Lane& lane() { return lane_; }
  /// The one decided last, committed or not.
  const Turn& turn() const { return turn_; }
  std::size_t turn_count() const { return turn_count_; }

 private:
  bool step(const Answer& answer);
  void settle(const Answer& answer);

  OutboxStore& store_;
  FakeClock& clock_;
  core::Lane lane_;
  Duration lease_;
  Turn turn_;
  const Turn* uncommitted_ = nullptr;
  std::size_t turn_count_ = 0;
  std::map<std::pair<Sequence, std::string>, Ticket> in_flight_;
};

}  // namespace makegood::testing_support
