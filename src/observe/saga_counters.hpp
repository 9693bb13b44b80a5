// What has become of sagas, as metrics.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "makegood/observe.hpp"

namespace makegood::observe {

/// Used by one thread at a time. Definitions and steps become labels: those are registered, so there are few.
class SagaCounters {
 public:
  /// The registry must outlive it.
  explicit SagaCounters(prometheus::Registry& registry);

  void add(std::span<const SagaNews> news);
  void set(const SagaFigures& figures);

 private:
  using Counters = prometheus::Family<prometheus::Counter>;

  void add(const SagaNews& news);
  void add_step(const SagaNews& news);
  Counters& counters_of(SagaNews::Kind kind);

  Counters& started_;
  Counters& completed_;
  Counters& failed_;
  Counters& compensated_;
  Counters& cancelled_;
  Counters& compensating_;
  Counters& manual_;
  prometheus::Family<prometheus::Histogram>& latency_;
  prometheus::Gauge& active_;
  prometheus::Gauge& owner_;
  std::map<std::pair<std::string, std::string>, prometheus::Histogram*> steps_;
};

}  // namespace makegood::observe
