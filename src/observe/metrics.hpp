// Counters, gauges and histograms, in Prometheus' terms. No label ever names a tenant, an event or a number.
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
#include <vector>

#include "makegood/observe.hpp"
#include "makegood/result.hpp"
#include "observe/capped.hpp"
#include "observe/histogram_tally.hpp"
#include "observe/news_counters.hpp"

namespace makegood::observe {

struct MetricsOptions {
  bool compat = true;            ///< Also the `outbox_*` names, and the latency in milliseconds.
  std::size_t topics_max = 200;  ///< Per table; the topics beyond share the label `other`.
  std::size_t codes_max = 100;   ///< Likewise for codes, which handlers may invent.
};

/// Thread-safe; one short lock per call, whatever the number of deliveries.
class Metrics {
 public:
  explicit Metrics(MetricsOptions options = {});

  void settled(std::string_view table, std::span<const Settled> deliveries);
  void figures(std::string_view table, const LaneFigures& figures);
  void fenced(std::string_view table);
  void alarmed(std::string_view table, Errc code);
  void replayed(std::size_t count);
  void news(std::string_view table, std::span<const LaneNews> news) { news_.add(table, news); }

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
  /// What happened to one topic of one table since the last flush.
  struct TopicTally {
    prometheus::Counter* dispatched;
    prometheus::Counter* compat_dead = nullptr;
    std::optional<CompatTally> success = {};
    std::optional<CompatTally> failure = {};
    std::uint64_t delivered_count = 0;
    std::uint64_t dead_count = 0;
    bool is_touched = false;
  };
  struct CompatFamilies {
    Counters* dispatched;
    Counters* dead;
    Histograms* dispatch_latency;
    Gauges* pending;
    Gauges* locked;
    Gauges* leader;
  };
  struct Table {
    Capped<TopicTally> topics;
    prometheus::Counter* fenced;
    prometheus::Gauge* side_lanes;
    prometheus::Gauge* open_circuits;
    prometheus::Gauge* parked;
    prometheus::Gauge* pending = nullptr;
    prometheus::Gauge* locked = nullptr;
    prometheus::Gauge* leader = nullptr;
  };

  CompatFamilies compat_families();
  Table& table(std::string_view name);
  Table make_table(const std::string& name);
  TopicTally make_topic(std::string_view table, const std::string& topic);
  CompatTally make_compat(std::string_view table, const std::string& topic, const char* result);
  void count_code(Counters& family, Capped<prometheus::Counter*>& counters, std::string_view code);
  void add(TopicTally& tally, const Settled& delivery);
  void flush(TopicTally& tally);

  // Constant after construction.
  const MetricsOptions options_;
  prometheus::Registry registry_;
  Counters& dispatched_;
  Counters& retried_;
  Counters& dead_;
  Counters& fenced_;
  Counters& alarms_;
  Gauges& side_lanes_;
  Gauges& open_circuits_;
  Gauges& parked_;
  prometheus::Counter& replayed_;
  NewsCounters news_;
  std::optional<CompatFamilies> compat_;

  // Guarded by mutex_.
  std::mutex mutex_;
  HistogramTally latency_;
  std::optional<HistogramTally> latency_ms_;
  Capped<prometheus::Counter*> retried_by_code_;
  Capped<prometheus::Counter*> dead_by_code_;
  std::map<std::string, Table, std::less<>> tables_;
  std::vector<TopicTally*> touched_;
};

}  // namespace makegood::observe
