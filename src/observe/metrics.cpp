#include "observe/metrics.hpp"

#include <prometheus/text_serializer.h>

#include <array>
#include <chrono>
#include <limits>
#include <ranges>
#include <utility>

#include "base/milliseconds.hpp"
#include "observe/families.hpp"

namespace makegood::observe {
namespace {

using prometheus::BuildGauge;
using prometheus::BuildHistogram;

const std::vector<double> seconds_boundaries = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                                0.5,    1,     2.5,    5,     10,   30,    60,   300, 3600};

std::vector<double> of_milliseconds(std::vector<double> boundaries) {
  for (double& boundary : boundaries) boundary *= 1000;
  return boundaries;
}
const std::vector<double> milliseconds_boundaries = of_milliseconds(seconds_boundaries);

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

/// What Makegood itself says of a delivery that did not arrive.
constexpr std::array codes_of_deliveries = {Errc::unavailable, Errc::timeout, Errc::rejected, Errc::no_route,
                                            Errc::expired,     Errc::poison,  Errc::not_found};

auto every_code() {
  return std::views::iota(0, static_cast<int>(Errc::internal) + 1) |
         std::views::transform([](int number) { return static_cast<Errc>(number); });
}

auto& gauge_family(prometheus::Registry& registry, const char* name, const char* help) {
  return BuildGauge().Name(name).Help(help).Register(registry);
}
auto& histogram_family(prometheus::Registry& registry, const char* name, const char* help) {
  return BuildHistogram().Name(name).Help(help).Register(registry);
}

}  // namespace

Metrics::Metrics(MetricsOptions options)
    : options_(options),
      families_(families_in(registry_)),
      replayed_(families_.replays->Add({{"kind", "outbox"}})),
      sagas_(registry_, *families_.replays,
             {.are_a_label = options.tenants != TenantLabel::off, .count_max = tenants_max()}),
      sources_(registry_),
      news_(registry_) {
  if (options_.compat) compat_ = compat_families_in(registry_);
}

Metrics::Families Metrics::families_in(prometheus::Registry& registry) {
  const auto counters = [&](const char* name, const char* help) { return &counter_family(registry, name, help); };
  const auto gauges = [&](const char* name, const char* help) { return &gauge_family(registry, name, help); };
  return {
      .deliveries = counters("tx_outbox_deliveries_total", "Attempts by what became of the delivery."),
      .enqueued = counters("tx_outbox_enqueued_total", "Messages that were read for the first time."),
      .dispatched = counters("tx_outbox_dispatched_total", "Deliveries that arrived."),
      .retried = counters("tx_outbox_retry_total", "Attempts that failed and will be repeated."),
      .dead = counters("tx_outbox_dead_total", "Deliveries that became dead letters."),
      .fenced = counters("tx_outbox_fenced_total",
                         "Turns after which an owner had to start anew: another wrote after it, or it is in doubt."),
      .alarms = counters("tx_outbox_alarm_total", "What an operator should see."),
      .replays = counters("tx_replay_total", "Dead letters that were taken up again on request."),
      .owner = gauges("tx_outbox_owner", "1 while this process owns the lane."),
      .side_lanes = gauges("tx_outbox_side_lanes", "Scopes that have left the main lane."),
      .open_circuits = gauges("tx_outbox_open_circuits", "Destinations that are down."),
      .parked = gauges("tx_outbox_parked", "Deliveries that wait for a retry, or are held behind one."),
      .latency = &histogram_family(registry, "tx_outbox_latency_seconds", "From enqueue to delivery."),
  };
}

Metrics::CompatFamilies Metrics::compat_families_in(prometheus::Registry& registry) {
  const auto counters = [&](const char* name, const char* help) { return &counter_family(registry, name, help); };
  const auto gauges = [&](const char* name, const char* help) { return &gauge_family(registry, name, help); };
  const auto histograms = [&](const char* name, const char* help) { return &histogram_family(registry, name, help); };
  return {
      .enqueued = counters("outbox_enqueue_total", "Messages that were read for the first time."),
      .dispatched = counters("outbox_dispatch_total", "Attempts by result."),
      .dead = counters("outbox_dead_total", "Deliveries that became dead letters."),
      .dispatch_latency = histograms("outbox_dispatch_latency_seconds", "From send to answer."),
      .latency_ms = histograms("tx_outbox_latency_ms", "From enqueue to delivery, in milliseconds."),
      .pending = gauges("outbox_pending", "Messages that are not delivered yet, at most."),
      .locked = gauges("outbox_locked", "Deliveries under way."),
      .leader = gauges("outbox_relay_leader", "1 while this process owns the lane."),
  };
}

void Metrics::expect(std::string_view table_name) {
  const std::lock_guard lock(mutex_);
  table(table_name);
}

void Metrics::news(std::string_view table_name, std::span<const LaneNews> news) {
  expect(table_name);
  news_.add(table_name, news);
}

void Metrics::enqueued(std::string_view table_name, std::span<const MessagePtr> messages) {
  const std::lock_guard lock(mutex_);
  Table& in = table(table_name);
  for (const MessagePtr& message : messages) {
    const Place& place = place_of(in, *message);
    place.both->enqueued->Increment();
    if (place.topic->compat_enqueued != nullptr) place.topic->compat_enqueued->Increment();
  }
}

void Metrics::attempts_ended(std::string_view table_name, std::span<const EndedAttempt> deliveries) {
  const std::lock_guard lock(mutex_);
  Table& in = table(table_name);
  for (const EndedAttempt& delivery : deliveries) {
    counter_of(in, delivery.fate).Increment();
    add(place_of(in, *delivery.message), delivery);
  }
  flush();
}

prometheus::Counter& Metrics::counter_of(const Table& table, Fate fate) {
  switch (fate) {
    case Fate::delivered:
      return *table.delivered;
    case Fate::retried:
      return *table.retried;
    case Fate::died:
      return *table.died;
  }
  std::unreachable();
}

const Metrics::Place& Metrics::place_of(Table& in, const Message& message) {
  const std::string_view tenant = options_.tenants == TenantLabel::off ? std::string_view() : message.tenant_id;
  if (last_.table == &in && last_.topic_name == message.topic && last_.tenant_name == tenant) return last_;
  last_.table = &in;
  last_.topic_name = message.topic;
  last_.tenant_name = tenant;
  last_.topic = &in.topics.of(message.topic, [&](const std::string& label) { return make_topic(in.name, label); });
  last_.tenant = &in.tenants.of(tenant, [&](const std::string& label) { return make_tenant(in.name, label); });
  last_.both = &both_of(*last_.tenant, last_.topic->label);
  return last_;
}

Metrics::TenantTopic& Metrics::both_of(TenantTally& tenant, const std::string& topic) {
  if (const auto found = tenant.topics.find(topic); found != tenant.topics.end()) return found->second;
  prometheus::Labels labels = tenant.labels;
  labels["topic"] = topic;
  const TenantTopic made{.enqueued = &families_.enqueued->Add(labels),
                         .dispatched = &families_.dispatched->Add(labels)};
  return tenant.topics.emplace(topic, made).first->second;
}

void Metrics::add(const Place& place, const EndedAttempt& delivery) {
  TopicTally& topic = *place.topic;
  TenantTally& tenant = *place.tenant;
  if (!std::exchange(topic.is_touched, true)) touched_topics_.push_back(&topic);
  if (!std::exchange(tenant.is_touched, true)) touched_tenants_.push_back(&tenant);
  switch (delivery.fate) {
    case Fate::delivered:
      place.both->dispatched->Increment();
      tenant.latency.add(seconds(delivery.since_created));
      if (tenant.latency_ms) tenant.latency_ms->add(in_milliseconds(delivery.since_created));
      break;
    case Fate::retried:
      count_code(*families_.retried, tenant.retried_by_code, tenant.labels, delivery.code);
      break;
    case Fate::died:
      ++topic.dead_count;
      count_code(*families_.dead, tenant.dead_by_code, tenant.labels, delivery.code);
      break;
  }
  auto& compat = delivery.fate == Fate::delivered ? topic.success : topic.failure;
  if (!compat) return;
  ++compat->count;
  compat->latency.add(seconds(delivery.since_sent));
}

void Metrics::flush() {
  for (TopicTally* topic : touched_topics_) flush(*topic);
  for (TenantTally* tenant : touched_tenants_) {
    tenant->is_touched = false;
    tenant->latency.flush();
    if (tenant->latency_ms) tenant->latency_ms->flush();
  }
  touched_topics_.clear();
  touched_tenants_.clear();
}

void Metrics::flush(TopicTally& tally) {
  tally.is_touched = false;
  const auto dead_count = static_cast<double>(std::exchange(tally.dead_count, 0));
  if (tally.compat_dead != nullptr) tally.compat_dead->Increment(dead_count);
  for (auto* compat : {&tally.success, &tally.failure}) {
    if (!*compat) continue;
    (*compat)->dispatched->Increment(static_cast<double>(std::exchange((*compat)->count, 0)));
    (*compat)->latency.flush();
  }
}

void Metrics::count_code(Counters& family, Capped<prometheus::Counter*>& counters, prometheus::Labels labels,
                         std::string_view code) {
  const auto make = [&](const std::string& label) {
    labels["code"] = label;
    return &family.Add(labels);
  };
  counters.of(code, make)->Increment();
}

void Metrics::figures(std::string_view table_name, const LaneFigures& figures) {
  const std::lock_guard lock(mutex_);
  const Table& of = table(table_name);
  of.owner->Set(figures.is_owner ? 1 : 0);
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
  expect(table_name);
  families_.alarms->Add({{"table", std::string(table_name)}, {"code", std::string(to_string(code))}}).Increment();
}

void Metrics::expect_saga(const std::string& definition) {
  const std::lock_guard lock(mutex_);
  sagas_.expect(definition);
}

void Metrics::sagas(std::span<const SagaNews> news) {
  const std::lock_guard lock(mutex_);
  sagas_.add(news);
}

void Metrics::saga_figures(const SagaFigures& figures) {
  const std::lock_guard lock(mutex_);
  sagas_.set(figures);
}

void Metrics::source(std::string_view outbox, std::string_view source, const SourceNews& news) {
  const std::lock_guard lock(mutex_);
  sources_.add(outbox, source, news);
}

void Metrics::replayed(std::size_t count) { replayed_.Increment(static_cast<double>(count)); }

std::string Metrics::text() const { return prometheus::TextSerializer().Serialize(registry_.Collect()); }

Metrics::Table& Metrics::table(std::string_view name) {
  if (const auto found = tables_.find(name); found != tables_.end()) return found->second;
  return tables_.emplace(std::string(name), make_table(std::string(name))).first->second;
}

std::size_t Metrics::tenants_max() const {
  switch (options_.tenants) {
    case TenantLabel::off:
      return 1;
    case TenantLabel::top_n:
      return options_.tenants_max;
    case TenantLabel::all:
      return std::numeric_limits<std::size_t>::max();
  }
  std::unreachable();
}

Metrics::Table Metrics::make_table(const std::string& name) {
  const prometheus::Labels labels = {{"table", name}};
  const auto with_fate = [&](const char* fate) {
    return &families_.deliveries->Add({{"table", name}, {"fate", fate}});
  };
  begin_counters(name);
  Table made{.name = name,
             .topics = Capped<TopicTally>(options_.topics_max),
             .tenants = Capped<TenantTally>(tenants_max()),
             .delivered = with_fate("delivered"),
             .retried = with_fate("retried"),
             .died = with_fate("died"),
             .fenced = &families_.fenced->Add(labels),
             .owner = &families_.owner->Add(labels),
             .side_lanes = &families_.side_lanes->Add(labels),
             .open_circuits = &families_.open_circuits->Add(labels),
             .parked = &families_.parked->Add(labels)};
  if (!compat_) return made;
  made.pending = &compat_->pending->Add(labels);
  made.locked = &compat_->locked->Add(labels);
  made.leader = &compat_->leader->Add(labels);
  return made;
}

/// Codes that handlers invent, topics, tenants and destinations are not known yet; the counters by fate, and those of
/// the table as a whole, have none of them.
void Metrics::begin_counters(const std::string& table) {
  for (const Errc code : every_code())
    families_.alarms->Add({{"table", table}, {"code", std::string(to_string(code))}});
  news_.begin(table);
  if (options_.tenants != TenantLabel::off) return;
  for (const Errc code : codes_of_deliveries) {
    const prometheus::Labels labels = {{"table", table}, {"code", std::string(to_string(code))}};
    families_.retried->Add(labels);
    families_.dead->Add(labels);
  }
}

Metrics::TenantTally Metrics::make_tenant(const std::string& table, const std::string& tenant) {
  prometheus::Labels labels = {{"table", table}};
  if (options_.tenants != TenantLabel::off) labels["tenant"] = tenant;
  TenantTally made{.labels = labels,
                   .topics = {},
                   .retried_by_code = Capped<prometheus::Counter*>(options_.codes_max),
                   .dead_by_code = Capped<prometheus::Counter*>(options_.codes_max),
                   .latency = HistogramTally(families_.latency->Add(labels, seconds_boundaries), seconds_boundaries)};
  if (!compat_) return made;
  auto& latency = compat_->latency_ms->Add(labels, milliseconds_boundaries);
  made.latency_ms.emplace(latency, milliseconds_boundaries);
  return made;
}

Metrics::TopicTally Metrics::make_topic(std::string_view table, const std::string& topic) {
  TopicTally made{.label = topic};
  if (!compat_) return made;
  made.compat_enqueued = &compat_->enqueued->Add({{"table", std::string(table)}, {"topic", topic}});
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
