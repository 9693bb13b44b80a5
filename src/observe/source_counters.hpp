// What has become of what sources read, as metrics.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <string_view>

#include "makegood/observe.hpp"

namespace makegood::observe {

/// Used by one thread at a time. Sources become labels: those are registered, so there are few.
class SourceCounters {
 public:
  /// The registry must outlive it.
  explicit SourceCounters(prometheus::Registry& registry);

  void add(std::string_view outbox, std::string_view source, const SourceNews& news);

 private:
  using Counters = prometheus::Family<prometheus::Counter>;
  using Gauges = prometheus::Family<prometheus::Gauge>;

  Counters& taken_;
  Counters& repeated_;
  Counters& unreadable_;
  Counters& fenced_;
  Gauges& behind_;
  Gauges& reads_;
};

}  // namespace makegood::observe
