#include "observe/saga_counters.hpp"

#include <chrono>

#include "base/milliseconds.hpp"
#include "observe/families.hpp"

namespace makegood::observe {
namespace {

const prometheus::Histogram::BucketBoundaries step_milliseconds = {1,   2.5, 5,    10,   25,    50,    100,
                                                                   250, 500, 1000, 2500, 10000, 30000, 300000};

/// Some come with their start, each under a name of its own.
constexpr std::size_t definitions_max = 200;

prometheus::Gauge& gauge(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

prometheus::Counter& with(prometheus::Family<prometheus::Counter>& family, prometheus::Labels labels, const char* name,
                          const char* value) {
  labels[name] = value;
  return family.Add(labels);
}

}  // namespace

SagaCounters::SagaCounters(prometheus::Registry& registry, prometheus::Family<prometheus::Counter>& replays,
                           Tenants tenants)
    : tenants_(tenants),
      started_(counter_family(registry, "tx_saga_started_total", "Executions that have begun.")),
      completed_(counter_family(registry, "tx_saga_completed_total", "Executions that ended with everything done.")),
      failed_(counter_family(registry, "tx_saga_failed_total", "Executions that ended with something open.")),
      compensated_(
          counter_family(registry, "tx_saga_compensated_total", "Executions that ended with everything undone.")),
      cancelled_(
          counter_family(registry, "tx_saga_cancelled_total", "Executions that were undone because somebody asked.")),
      turned_back_(counter_family(registry, "tx_saga_compensate_total", "Executions that have turned back.")),
      manual_(counter_family(registry, "saga_manual_intervention_total", "Executions that need a person's decision.")),
      unverified_(counter_family(registry, "tx_saga_unverified_total",
                                 "Executions that are undone while a request of which nothing is known may run.")),
      executions_(counter_family(registry, "saga_execution_total", "Executions that have ended, by how.")),
      compensations_(counter_family(registry, "saga_compensation_total",
                                    "Executions that had to be undone, by whether that has succeeded.")),
      replayed_(replays.Add({{"kind", "saga"}})),
      latency_(prometheus::BuildHistogram()
                   .Name("tx_saga_step_latency_ms")
                   .Help("From the start of a step's attempt to its answer, in milliseconds.")
                   .Register(registry)),
      active_(gauge(registry, "tx_saga_active", "Executions in memory.")),
      owner_(gauge(registry, "tx_saga_owner", "1 while this process carries sagas out.")),
      upkept_(counter_family(registry, "tx_saga_upkeep_rows_total",
                             "Rows of the log that were counted into the statistics, or are past their retention.")
                  .Add({})),
      definition_labels_(definitions_max),
      tenant_labels_(tenants.count_max) {}

/// Which tenants there will be nobody knows: theirs begin with their first execution.
void SagaCounters::expect(const std::string& definition) {
  if (!tenants_.are_a_label) of({.definition = definition, .tenant_id = {}, .id = {}});
}

void SagaCounters::add(std::span<const SagaNews> news) {
  for (const SagaNews& each : news) add(each);
}

void SagaCounters::add(const SagaNews& news) {
  OfSaga& saga = of(news);
  const auto count = [](auto... counters) { (counters->Increment(), ...); };
  switch (news.kind) {
    case SagaNews::Kind::started:
      return count(saga.started);
    case SagaNews::Kind::step_ended:
      return add_step(news);
    case SagaNews::Kind::compensating:
      return count(saga.turned_back);
    case SagaNews::Kind::manual:
      return count(saga.manual);
    case SagaNews::Kind::completed:
      return count(saga.completed, saga.ended_completed);
    case SagaNews::Kind::compensated:
      return count(saga.compensated, saga.ended_compensated, saga.undone);
    case SagaNews::Kind::failed:
      return count(saga.failed, saga.ended_failed, saga.not_undone);
    case SagaNews::Kind::cancelled:
      return count(saga.cancelled, saga.ended_cancelled, saga.undone);
    case SagaNews::Kind::replayed:
      return replayed_.Increment();
    case SagaNews::Kind::unverified:
      return count(saga.unverified);
  }
}

void SagaCounters::add_step(const SagaNews& news) {
  const std::string definition = label_of(news.definition);
  const std::string step = definition == other_label ? definition : news.step;
  prometheus::Histogram*& histogram = steps_[{definition, step}];
  if (histogram == nullptr) histogram = &latency_.Add({{"def", definition}, {"step", step}}, step_milliseconds);
  histogram->Observe(in_milliseconds(news.took));
}

std::string SagaCounters::label_of(const std::string& definition) {
  return definition_labels_.of(definition, [](const std::string& label) { return label; });
}

SagaCounters::OfSaga& SagaCounters::of(const SagaNews& news) {
  const std::string& tenant = tenant_labels_.of(tenants_.are_a_label ? news.tenant_id : std::string(),
                                                [](const std::string& label) { return label; });
  const std::pair key(label_of(news.definition), tenant);
  const auto known = of_.find(key);
  return known != of_.end() ? known->second : of_.emplace(key, make(key.first, tenant)).first->second;
}

SagaCounters::OfSaga SagaCounters::make(const std::string& definition, const std::string& tenant) {
  prometheus::Labels labels = {{"def", definition}};
  if (tenants_.are_a_label) labels["tenant"] = tenant;
  return {.started = &started_.Add(labels),
          .completed = &completed_.Add(labels),
          .failed = &failed_.Add(labels),
          .compensated = &compensated_.Add(labels),
          .cancelled = &cancelled_.Add(labels),
          .turned_back = &turned_back_.Add(labels),
          .manual = &manual_.Add(labels),
          .unverified = &unverified_.Add(labels),
          .ended_completed = &with(executions_, labels, "state", "completed"),
          .ended_failed = &with(executions_, labels, "state", "failed"),
          .ended_compensated = &with(executions_, labels, "state", "compensated"),
          .ended_cancelled = &with(executions_, labels, "state", "cancelled"),
          .undone = &with(compensations_, labels, "result", "success"),
          .not_undone = &with(compensations_, labels, "result", "failure")};
}

void SagaCounters::set(const SagaFigures& figures) {
  active_.Set(static_cast<double>(figures.in_memory_count));
  owner_.Set(figures.is_owner ? 1 : 0);
  upkept_.Increment(static_cast<double>(figures.upkept_count));
}

}  // namespace makegood::observe
