// What has become of sagas, as metrics.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "makegood/observe.hpp"
#include "observe/capped.hpp"

namespace makegood::observe {

/// Used by one thread at a time. Definitions and steps become labels, the first so many; tenants only where that is
/// asked for.
class SagaCounters {
 public:
  struct Tenants {
    bool are_a_label = false;
    std::size_t count_max = 1;  ///< The first ones; the others share a label.
  };

  /// The registry must outlive it. `replays`: what is sent again on request, by kind.
  SagaCounters(prometheus::Registry& registry, prometheus::Family<prometheus::Counter>& replays, Tenants tenants);

  /// What is counted of its executions is there from now on, as 0: after a restart the first of them may have failed.
  void expect(const std::string& definition);
  void add(std::span<const SagaNews> news);
  void set(const SagaFigures& figures);

 private:
  using Counters = prometheus::Family<prometheus::Counter>;
  using Counter = prometheus::Counter;

  /// Of one definition, and of one tenant where tenants are a label. All are there as soon as an execution begins: a
  /// counter that appears as 1 has not increased.
  struct OfSaga {
    Counter* started;
    Counter* completed;
    Counter* failed;
    Counter* compensated;
    Counter* cancelled;
    Counter* turned_back;
    Counter* manual;
    Counter* unverified;
    Counter* ended_completed;
    Counter* ended_failed;
    Counter* ended_compensated;
    Counter* ended_cancelled;
    Counter* undone;
    Counter* not_undone;
  };

  void add(const SagaNews& news);
  void add_step(const SagaNews& news);
  OfSaga& of(const SagaNews& news);
  OfSaga make(const std::string& definition, const std::string& tenant);

  std::string label_of(const std::string& definition);

  const Tenants tenants_;
  Counters& started_;
  Counters& completed_;
  Counters& failed_;
  Counters& compensated_;
  Counters& cancelled_;
  Counters& turned_back_;
  Counters& manual_;
  Counters& unverified_;
  Counters& executions_;
  Counters& compensations_;
  Counter& replayed_;
  prometheus::Family<prometheus::Histogram>& latency_;
  prometheus::Gauge& active_;
  prometheus::Gauge& owner_;
  Counter& upkept_;
  Capped<std::string> definition_labels_;
  Capped<std::string> tenant_labels_;
  std::map<std::pair<std::string, std::string>, OfSaga> of_;  ///< By definition and the tenant's label.
  std::map<std::pair<std::string, std::string>, prometheus::Histogram*> steps_;
};

}  // namespace makegood::observe
