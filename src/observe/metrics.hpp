// Counters, gauges and histograms, in Prometheus' terms. No label ever names an event or a number; one names the tenant
// only where that is asked for, and never under the names of 002.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "makegood/observe.hpp"
#include "makegood/result.hpp"
#include "makegood/telemetry.hpp"
#include "observe/capped.hpp"
#include "observe/histogram_tally.hpp"
#include "observe/news_counters.hpp"
#include "observe/saga_counters.hpp"
#include "observe/source_counters.hpp"

namespace makegood::observe {

struct MetricsOptions {
  bool compat = true;            ///< Also the `outbox_*` names, and the latency in milliseconds.
  std::size_t topics_max = 200;  ///< Per table; the topics beyond share the label `other`.
  std::size_t codes_max = 100;   ///< Likewise for codes, which handlers may invent.
  TenantLabel tenants = TenantLabel::off;
  std::size_t tenants_max = 50;  ///< Likewise for `top_n`: per table, the first ones.
};

/// Thread-safe; one short lock per call, whatever the number of deliveries.
class Metrics {
 public:
  explicit Metrics(MetricsOptions options = {});

  /// Whatever can be known of its labels is there from now on, as 0: a counter that appears as 1 has not increased.
  void expect(std::string_view table);
  void enqueued(std::string_view table, std::span<const MessagePtr> messages);
  void attempts_ended(std::string_view table, std::span<const EndedAttempt> deliveries);
  void figures(std::string_view table, const LaneFigures& figures);
  void fenced(std::string_view table);
  void alarmed(std::string_view table, Errc code);
  void replayed(std::size_t count);
  /// As `expect`, of its executions.
  void expect_saga(const std::string& definition);
  void sagas(std::span<const SagaNews> news);
  void saga_figures(const SagaFigures& figures);
  void source(std::string_view outbox, std::string_view source, const SourceNews& news);
  void news(std::string_view table, std::span<const LaneNews> news);

  /// The Prometheus exposition.
  std::string text() const;

 private:
  using Counters = prometheus::Family<prometheus::Counter>;
  using Gauges = prometheus::Family<prometheus::Gauge>;
  using Histograms = prometheus::Family<prometheus::Histogram>;

  /// One result of one topic under the names of 002.
  struct CompatTally {
    prometheus::Counter* dispatched;
    HistogramTally latency;
    std::uint64_t count = 0;
  };
  /// One topic of one table, under the names of 002: what happened since the last flush.
  struct TopicTally {
    std::string label;
    prometheus::Counter* compat_enqueued = nullptr;
    prometheus::Counter* compat_dead = nullptr;
    std::optional<CompatTally> success = {};
    std::optional<CompatTally> failure = {};
    std::uint64_t dead_count = 0;
    bool is_touched = false;
  };
  /// One topic of one tenant.
  struct TenantTopic {
    prometheus::Counter* enqueued;
    prometheus::Counter* dispatched;
  };
  /// One tenant of one table; all of them together where tenants are no label.
  struct TenantTally {
    prometheus::Labels labels;
    std::unordered_map<std::string, TenantTopic> topics;  ///< By label, so there are no more than in the table.
    Capped<prometheus::Counter*> retried_by_code;
    Capped<prometheus::Counter*> dead_by_code;
    HistogramTally latency;
    std::optional<HistogramTally> latency_ms = {};
    bool is_touched = false;
  };
  /// Under the names of Makegood.
  struct Families {
    Counters* deliveries;
    Counters* enqueued;
    Counters* dispatched;
    Counters* retried;
    Counters* dead;
    Counters* fenced;
    Counters* alarms;
    Counters* replays;
    Gauges* owner;
    Gauges* side_lanes;
    Gauges* open_circuits;
    Gauges* parked;
    Histograms* latency;
  };
  /// Under the names of 002.
  struct CompatFamilies {
    Counters* enqueued;
    Counters* dispatched;
    Counters* dead;
    Histograms* dispatch_latency;
    Histograms* latency_ms;
    Gauges* pending;
    Gauges* locked;
    Gauges* leader;
  };
  struct Table {
    std::string name;
    Capped<TopicTally> topics;
    Capped<TenantTally> tenants;
    prometheus::Counter* delivered;
    prometheus::Counter* retried;
    prometheus::Counter* died;
    prometheus::Counter* fenced;
    prometheus::Gauge* owner;
    prometheus::Gauge* side_lanes;
    prometheus::Gauge* open_circuits;
    prometheus::Gauge* parked;
    prometheus::Gauge* pending = nullptr;
    prometheus::Gauge* locked = nullptr;
    prometheus::Gauge* leader = nullptr;
  };

  /// Where a message counts.
  struct Place {
    const Table* table = nullptr;
    std::string topic_name = {};
    std::string tenant_name = {};
    TopicTally* topic = nullptr;
    TenantTally* tenant = nullptr;
    TenantTopic* both = nullptr;
  };

  std::size_t tenants_max() const;
  static Families families_in(prometheus::Registry& registry);
  static CompatFamilies compat_families_in(prometheus::Registry& registry);
  const Place& place_of(Table& in, const Message& message);
  TenantTopic& both_of(TenantTally& tenant, const std::string& topic);
  Table& table(std::string_view name);
  Table make_table(const std::string& name);
  void begin_counters(const std::string& table);
  static prometheus::Counter& counter_of(const Table& table, Fate fate);
  TenantTally make_tenant(const std::string& table, const std::string& tenant);
  TopicTally make_topic(std::string_view table, const std::string& topic);
  CompatTally make_compat(std::string_view table, const std::string& topic, const char* result);
  static void count_code(Counters& family, Capped<prometheus::Counter*>& counters, prometheus::Labels labels,
                         std::string_view code);
  void add(const Place& place, const EndedAttempt& delivery);
  void flush();
  static void flush(TopicTally& tally);

  // Constant after construction.
  const MetricsOptions options_;
  prometheus::Registry registry_;
  const Families families_;
  prometheus::Counter& replayed_;
  SagaCounters sagas_;      ///< Guarded by mutex_.
  SourceCounters sources_;  ///< Guarded by mutex_.
  NewsCounters news_;
  std::optional<CompatFamilies> compat_;

  // Guarded by mutex_.
  std::mutex mutex_;
  std::map<std::string, Table, std::less<>> tables_;
  Place last_;  ///< Neighbours often have the same topic and tenant: two comparisons instead of look-ups.
  std::vector<TopicTally*> touched_topics_;
  std::vector<TenantTally*> touched_tenants_;
};

}  // namespace makegood::observe
