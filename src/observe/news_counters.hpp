// How often the lane itself has changed: circuits, side lanes, suspects.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/registry.h>

#include <span>
#include <string_view>

#include "makegood/observe.hpp"

namespace makegood::observe {

/// Thread-safe. Of a scope only the destination becomes a label: those are registered, so there are few.
class NewsCounters {
 public:
  /// The registry must outlive it.
  explicit NewsCounters(prometheus::Registry& registry);

  /// Those of the table as a whole are there from now on, as 0.
  void begin(std::string_view table);
  void add(std::string_view table, std::span<const LaneNews> news);

 private:
  using Counters = prometheus::Family<prometheus::Counter>;

  void add(std::string_view table, const LaneNews& news);

  Counters& circuit_opened_;
  Counters& side_opened_;
  Counters& side_closed_;
  Counters& routes_changed_;
  Counters& suspects_;
  Counters& poison_;
  Counters& disabled_;
};

}  // namespace makegood::observe
