// Who may start a request now. There are only so many places, one connection each; when they become scarce,
// destinations that hang must not hold them all.
//
// The rule: a destination gets one more place while it holds fewer than are free, so that none has more than half. The
// last quarter is given out one by one: whoever holds nothing still gets a place, and only a thousand destinations that
// hang at the same time could use up the usual four thousand. And a destination never has more under way than it takes.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <vector>

#include "transports/http/channel.hpp"

namespace makegood::http {

class Admission {
 public:
  explicit Admission(std::size_t places_max) : places_max_(places_max) {}

  bool may_start(const Channel& channel) const { return channel.waiting.empty() && has_place(channel); }
  void started(Channel& channel);
  void ended(Channel& channel);

  void wait(Channel& channel, Sending sending);
  /// Starts what may start, in turn over the destinations. `start` calls started().
  void admit(const std::function<void(Channel&, Sending)>& start);
  std::vector<Sending> take_expired(MonotonicTime now);
  void forget_waiting();
  void forget_waiting(const Completions& done);
  bool is_anybody_waiting() const { return !line_.empty(); }

 private:
  bool has_place(const Channel& channel) const {
    if (channel.under_way >= channel.under_way_max) return false;
    const std::size_t free = places_max_ - under_way_;
    return channel.under_way == 0 ? free > 0 : channel.under_way < free && free > places_max_ / 4;
  }

  // Constant after construction.
  std::size_t places_max_;

  std::size_t under_way_ = 0;
  std::deque<Channel*> line_;  ///< Each once: those where somebody waits.
};

}  // namespace makegood::http
