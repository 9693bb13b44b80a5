#include "observe/news_counters.hpp"

#include <string>

#include "observe/families.hpp"

namespace makegood::observe {
namespace {

prometheus::Labels labels_of(std::string_view table, const LaneNews& news) {
  return {{"table", std::string(table)}, {"destination", news.scope.destination}};
}

prometheus::Labels with(prometheus::Labels labels, const char* name, std::string_view value) {
  labels.emplace(name, value);
  return labels;
}

}  // namespace

NewsCounters::NewsCounters(prometheus::Registry& registry)
    : circuit_opened_(counter_family(registry, "tx_outbox_circuit_opened_total", "Destinations found to be down.")),
      side_opened_(counter_family(registry, "tx_outbox_side_lane_opened_total", "Scopes that left the main lane.")),
      side_closed_(
          counter_family(registry, "tx_outbox_side_lane_closed_total", "Side lanes that merged or came to an end.")),
      routes_changed_(counter_family(registry, "tx_outbox_routes_changed_total", "New versions of the routes.")),
      suspects_(
          counter_family(registry, "tx_outbox_suspect_total", "Messages under way at several deaths of an owner.")),
      poison_(counter_family(registry, "tx_outbox_poison_total", "Messages that killed their owner once too often.")),
      disabled_(counter_family(registry, "tx_outbox_disabled_total",
                               "Destinations that were gone, or failed for too long.")) {}

void NewsCounters::begin(std::string_view table) {
  poison_.Add({{"table", std::string(table)}});
  routes_changed_.Add({{"table", std::string(table)}});
}

void NewsCounters::add(std::string_view table, std::span<const LaneNews> news) {
  for (const LaneNews& each : news) add(table, each);
}

void NewsCounters::add(std::string_view table, const LaneNews& news) {
  switch (news.kind) {
    case LaneNews::Kind::circuit_opened:
      return circuit_opened_.Add(labels_of(table, news)).Increment();
    case LaneNews::Kind::side_opened:
      return side_opened_.Add(with(labels_of(table, news), "why", to_string(news.why))).Increment();
    case LaneNews::Kind::side_merged:
    case LaneNews::Kind::side_ended:
      return side_closed_.Add(with(labels_of(table, news), "why", to_string(news.why))).Increment();
    case LaneNews::Kind::routes_changed:
      return routes_changed_.Add({{"table", std::string(table)}}).Increment();
    case LaneNews::Kind::suspect_alone:
      return suspects_.Add(with(labels_of(table, news), "what", "alone")).Increment();
    case LaneNews::Kind::suspect_died:
      poison_.Add({{"table", std::string(table)}}).Increment();
      return suspects_.Add(with(labels_of(table, news), "what", "dead")).Increment();
    case LaneNews::Kind::disabled:
      return disabled_.Add(labels_of(table, news)).Increment();
    case LaneNews::Kind::circuit_closed:
      return;  // The gauge of open circuits tells it.
  }
}

}  // namespace makegood::observe
