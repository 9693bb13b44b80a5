#include "observe/saga_counters.hpp"

#include <chrono>

#include "observe/families.hpp"

namespace makegood::observe {
namespace {

const prometheus::Histogram::BucketBoundaries step_milliseconds = {1,   2.5, 5,    10,   25,    50,    100,
                                                                   250, 500, 1000, 2500, 10000, 30000, 300000};

prometheus::Gauge& gauge(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

}  // namespace

SagaCounters::SagaCounters(prometheus::Registry& registry)
    : started_(counter_family(registry, "tx_saga_started_total", "Executions that have begun.")),
      completed_(counter_family(registry, "tx_saga_completed_total", "Executions that ended with everything done.")),
      failed_(counter_family(registry, "tx_saga_failed_total", "Executions that ended with something open.")),
      compensated_(
          counter_family(registry, "tx_saga_compensated_total", "Executions that ended with everything undone.")),
      cancelled_(
          counter_family(registry, "tx_saga_cancelled_total", "Executions that were undone because somebody asked.")),
      compensating_(counter_family(registry, "tx_saga_compensate_total", "Executions that have turned back.")),
      manual_(counter_family(registry, "saga_manual_intervention_total", "Executions that need a person's decision.")),
      latency_(prometheus::BuildHistogram()
                   .Name("tx_saga_step_latency_ms")
                   .Help("From the start of a step's attempt to its answer, in milliseconds.")
                   .Register(registry)),
      active_(gauge(registry, "tx_saga_active", "Executions in memory.")),
      owner_(gauge(registry, "tx_saga_owner", "1 while this process carries sagas out.")) {}

void SagaCounters::add(std::span<const SagaNews> news) {
  for (const SagaNews& each : news) add(each);
}

void SagaCounters::add(const SagaNews& news) {
  if (news.kind == SagaNews::Kind::step_ended) return add_step(news);
  counters_of(news.kind).Add({{"def", news.definition}}).Increment();
}

void SagaCounters::add_step(const SagaNews& news) {
  prometheus::Histogram*& histogram = steps_[{news.definition, news.step}];
  if (histogram == nullptr) {
    histogram = &latency_.Add({{"def", news.definition}, {"step", news.step}}, step_milliseconds);
  }
  histogram->Observe(std::chrono::duration<double, std::milli>(news.took).count());
}

SagaCounters::Counters& SagaCounters::counters_of(SagaNews::Kind kind) {
  switch (kind) {
    case SagaNews::Kind::started:
    case SagaNews::Kind::step_ended:
      return started_;
    case SagaNews::Kind::compensating:
      return compensating_;
    case SagaNews::Kind::manual:
      return manual_;
    case SagaNews::Kind::completed:
      return completed_;
    case SagaNews::Kind::compensated:
      return compensated_;
    case SagaNews::Kind::failed:
      return failed_;
    case SagaNews::Kind::cancelled:
      return cancelled_;
  }
  return started_;
}

void SagaCounters::set(const SagaFigures& figures) {
  active_.Set(static_cast<double>(figures.in_memory_count));
  owner_.Set(figures.is_owner ? 1 : 0);
}

}  // namespace makegood::observe
