#include "sim/sites.hpp"

namespace makegood::sim {
namespace {

constexpr std::array<std::string_view, site_count> site_names = {"fenced turn",
                                                                 "unknown commit",
                                                                 "take-over",
                                                                 "zombie send",
                                                                 "database forgot",
                                                                 "late row below reached",
                                                                 "late row handed to a side lane",
                                                                 "blocked key",
                                                                 "dead letter",
                                                                 "replayed",
                                                                 "quarantined",
                                                                 "unblocked",
                                                                 "circuit opened",
                                                                 "circuit closed",
                                                                 "attempt given back",
                                                                 "probe failed",
                                                                 "side lane opened: paused",
                                                                 "side lane opened: broken",
                                                                 "side lane opened: crowded",
                                                                 "side lane merged",
                                                                 "side lane inside a side lane",
                                                                 "history replayed",
                                                                 "suspect sent alone",
                                                                 "suspect dead",
                                                                 "suspect cleared",
                                                                 "routes changed",
                                                                 "older routes used",
                                                                 "log cleaned",
                                                                 "lane given up",
                                                                 "answer came twice",
                                                                 "told when to come back",
                                                                 "destination disabled",
                                                                 "destination failed for too long",
                                                                 "death told by a message",
                                                                 "registry changed",
                                                                 "change of the registry refused",
                                                                 "destination removed",
                                                                 "delivery to a removed destination ended",
                                                                 "delivery cancelled",
                                                                 "message cancelled before it was read",
                                                                 "lease over before it left",
                                                                 "attempt spared",
                                                                 "clock set by an hour",
                                                                 "log emptied by hand",
                                                                 "counter set back by hand",
                                                                 "lane stopped because of its log",
                                                                 "lane rewound"};

}  // namespace

std::string_view to_string(Site site) { return site_names.at(static_cast<std::size_t>(site)); }

void Sites::add(const Sites& other) {
  for (std::size_t index = 0; index < site_count; ++index) counts_[index] += other.counts_[index];
}

std::vector<Site> Sites::missed() const {
  std::vector<Site> missed;
  for (std::size_t index = 0; index < site_count; ++index) {
    if (counts_[index] == 0) missed.push_back(static_cast<Site>(index));
  }
  return missed;
}

}  // namespace makegood::sim
