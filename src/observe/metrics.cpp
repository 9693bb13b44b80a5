#include "observe/metrics.hpp"

#include <prometheus/text_serializer.h>

#include <chrono>
#include <utility>

namespace makegood::observe {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;

const std::vector<double> seconds_boundaries = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                                0.5,    1,     2.5,    5,     10,   30,    60,   300, 3600};

std::vector<double> in_milliseconds(std::vector<double> boundaries) {
  for (double& boundary : boundaries) boundary *= 1000;
  return boundaries;
}
const std::vector<double> milliseconds_boundaries = in_milliseconds(seconds_boundaries);

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }
double milliseconds(Duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

auto& counters(prometheus::Registry& registry, const char* name, const char* help) {
  return BuildCounter().Name(name).Help(help).Register(registry);
}
auto& gauges(prometheus::Registry& registry, const char* name, const char* help) {
  return BuildGauge().Name(name).Help(help).Register(registry);
}
auto& histograms(prometheus::Registry& registry, const char* name, const char* help) {
  return BuildHistogram().Name(name).Help(help).Register(registry);
}

}  // namespace

Metrics::Metrics(MetricsOptions options)
    : options_(options),
      dispatched_(counters(registry_, "tx_outbox_dispatched_total", "Deliveries that arrived.")),
      retried_(counters(registry_, "tx_outbox_retry_total", "Attempts that failed and will be repeated.")),
      dead_(counters(registry_, "tx_outbox_dead_total", "Deliveries that became dead letters.")),
      fenced_(counters(registry_, "tx_outbox_fenced_total",
                       "Turns after which an owner had to start anew: another wrote after it, or it is in doubt.")),
      alarms_(counters(registry_, "tx_outbox_alarm_total", "What an operator should see.")),
      side_lanes_(gauges(registry_, "tx_outbox_side_lanes", "Scopes that have left the main lane.")),
      open_circuits_(gauges(registry_, "tx_outbox_open_circuits", "Destinations that are down.")),
      parked_(gauges(registry_, "tx_outbox_parked", "Deliveries that wait for a retry, or are held behind one.")),
      replayed_(counters(registry_, "tx_replay_total", "Deliveries sent again on request.").Add({{"kind", "outbox"}})),
      news_(registry_),
      latency_(
          histograms(registry_, "tx_outbox_latency_seconds", "From enqueue to delivery.").Add({}, seconds_boundaries),
          seconds_boundaries),
      retried_by_code_(options.codes_max),
      dead_by_code_(options.codes_max) {
  if (options_.compat) compat_ = compat_families();
}

Metrics::CompatFamilies Metrics::compat_families() {
  auto& latency = histograms(registry_, "tx_outbox_latency_ms", "From enqueue to delivery, in milliseconds.");
  latency_ms_.emplace(latency.Add({}, milliseconds_boundaries), milliseconds_boundaries);
  return {
      .dispatched = &counters(registry_, "outbox_dispatch_total", "Attempts by result."),
      .dead = &counters(registry_, "outbox_dead_total", "Deliveries that became dead letters."),
      .dispatch_latency = &histograms(registry_, "outbox_dispatch_latency_seconds", "From send to answer."),
      .pending = &gauges(registry_, "outbox_pending", "Messages that have not been read yet."),
      .locked = &gauges(registry_, "outbox_locked", "Deliveries under way."),
      .leader = &gauges(registry_, "outbox_relay_leader", "1 while this process owns the lane."),
  };
}

void Metrics::settled(std::string_view table_name, std::span<const Settled> deliveries) {
  const std::lock_guard lock(mutex_);
  Table& in = table(table_name);
  TopicTally* tally = nullptr;
  std::string_view topic;
  for (const Settled& delivery : deliveries) {
    // Neighbours often have the same topic: one comparison instead of a look-up.
    if (tally == nullptr || delivery.message->topic != topic) {
      topic = delivery.message->topic;
      tally = &in.topics.of(topic, [&](const std::string& label) { return make_topic(table_name, label); });
    }
    add(*tally, delivery);
  }
  for (TopicTally* each : touched_) flush(*each);
  touched_.clear();
  latency_.flush();
  if (latency_ms_) latency_ms_->flush();
}

void Metrics::add(TopicTally& tally, const Settled& delivery) {
  if (!std::exchange(tally.is_touched, true)) touched_.push_back(&tally);
  switch (delivery.fate) {
    case Fate::delivered:
      ++tally.delivered_count;
      latency_.add(seconds(delivery.since_created));
      if (latency_ms_) latency_ms_->add(milliseconds(delivery.since_created));
      break;
    case Fate::retried:
      count_code(retried_, retried_by_code_, delivery.code);
      break;
    case Fate::died:
      ++tally.dead_count;
      count_code(dead_, dead_by_code_, delivery.code);
      break;
  }
  auto& compat = delivery.fate == Fate::delivered ? tally.success : tally.failure;
  if (!compat) return;
  ++compat->count;
  compat->latency.add(seconds(delivery.since_sent));
}

void Metrics::flush(TopicTally& tally) {
  tally.is_touched = false;
  tally.dispatched->Increment(static_cast<double>(std::exchange(tally.delivered_count, 0)));
  const auto dead_count = static_cast<double>(std::exchange(tally.dead_count, 0));
  if (tally.compat_dead != nullptr) tally.compat_dead->Increment(dead_count);
  for (auto* compat : {&tally.success, &tally.failure}) {
    if (!*compat) continue;
    (*compat)->dispatched->Increment(static_cast<double>(std::exchange((*compat)->count, 0)));
    (*compat)->latency.flush();
  }
}

void Metrics::count_code(Counters& family, Capped<prometheus::Counter*>& counters, std::string_view code) {
  counters.of(code, [&](const std::string& label) { return &family.Add({{"code", label}}); })->Increment();
}

void Metrics::figures(std::string_view table_name, const LaneFigures& figures) {
  const std::lock_guard lock(mutex_);
  const Table& of = table(table_name);
  of.side_lanes->Set(static_cast<double>(figures.side_lane_count));
  of.open_circuits->Set(static_cast<double>(figures.open_circuit_count));
  of.parked->Set(static_cast<double>(figures.parked_count));
  if (!compat_) return;
  of.pending->Set(static_cast<double>(figures.pending_count));
  of.locked->Set(static_cast<double>(figures.in_flight_count));
  of.leader->Set(figures.is_owner ? 1 : 0);
}

void Metrics::fenced(std::string_view table_name) {
  const std::lock_guard lock(mutex_);
  table(table_name).fenced->Increment();
}

void Metrics::alarmed(std::string_view table_name, Errc code) {
  alarms_.Add({{"table", std::string(table_name)}, {"code", std::string(to_string(code))}}).Increment();
}

void Metrics::replayed(std::size_t count) { replayed_.Increment(static_cast<double>(count)); }

std::string Metrics::text() const { return prometheus::TextSerializer().Serialize(registry_.Collect()); }

Metrics::Table& Metrics::table(std::string_view name) {
  if (const auto found = tables_.find(name); found != tables_.end()) return found->second;
  return tables_.emplace(std::string(name), make_table(std::string(name))).first->second;
}

Metrics::Table Metrics::make_table(const std::string& name) {
  const prometheus::Labels labels = {{"table", name}};
  Table made{.topics = Capped<TopicTally>(options_.topics_max),
             .fenced = &fenced_.Add(labels),
             .side_lanes = &side_lanes_.Add(labels),
             .open_circuits = &open_circuits_.Add(labels),
             .parked = &parked_.Add(labels)};
  if (!compat_) return made;
  made.pending = &compat_->pending->Add(labels);
  made.locked = &compat_->locked->Add(labels);
  made.leader = &compat_->leader->Add(labels);
  return made;
}

Metrics::TopicTally Metrics::make_topic(std::string_view table, const std::string& topic) {
  TopicTally made{.dispatched = &dispatched_.Add({{"topic", topic}})};
  if (!compat_) return made;
  made.compat_dead = &compat_->dead->Add({{"table", std::string(table)}, {"topic", topic}});
  made.success = make_compat(table, topic, "success");
  made.failure = make_compat(table, topic, "failure");
  return made;
}

Metrics::CompatTally Metrics::make_compat(std::string_view table, const std::string& topic, const char* result) {
  const prometheus::Labels labels = {{"table", std::string(table)}, {"topic", topic}, {"result", result}};
  auto& latency = compat_->dispatch_latency->Add(labels, seconds_boundaries);
  return {.dispatched = &compat_->dispatched->Add(labels), .latency = HistogramTally(latency, seconds_boundaries)};
}

}  // namespace makegood::observe
