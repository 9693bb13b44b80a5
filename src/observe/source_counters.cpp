#include "observe/source_counters.hpp"

#include <string>

#include "observe/families.hpp"

namespace makegood::observe {
namespace {

prometheus::Family<prometheus::Gauge>& source_gauges(prometheus::Registry& registry, const char* name,
                                                     const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

}  // namespace

SourceCounters::SourceCounters(prometheus::Registry& registry)
    : taken_(counter_family(registry, "tx_source_taken_total", "Messages that were taken in from a broker.")),
      repeated_(counter_family(registry, "tx_source_repeated_total",
                               "Messages of a broker that were in the log already, and were not taken in again.")),
      unreadable_(counter_family(registry, "tx_source_unreadable_total",
                                 "Messages of a broker that became dead letters, as what they are.")),
      fenced_(counter_family(registry, "tx_source_fenced_total",
                             "Batches that were not written because somebody else had gone on.")),
      behind_(
          source_gauges(registry, "tx_source_behind", "Messages that a broker has behind the last one that was read.")),
      reads_(source_gauges(registry, "tx_source_reads",
                           "1 while a source is read, 0 while something keeps it from that.")) {}

void SourceCounters::add(std::string_view outbox, std::string_view source, const SourceNews& news) {
  using Kind = SourceNews::Kind;
  const prometheus::Labels labels = {{"table", std::string(outbox)}, {"source", std::string(source)}};
  const auto count = static_cast<double>(news.count);
  switch (news.kind) {
    case Kind::taken:
      return taken_.Add(labels).Increment(count);
    case Kind::repeated:
      return repeated_.Add(labels).Increment(count);
    case Kind::unreadable:
      return unreadable_.Add(labels).Increment(count);
    case Kind::fenced:
      return fenced_.Add(labels).Increment(count);
    case Kind::behind:
      return behind_.Add(labels).Set(count);
    case Kind::stopped:
      return reads_.Add(labels).Set(0);
    case Kind::reads:
      return reads_.Add(labels).Set(1);
  }
}

}  // namespace makegood::observe
