// Which destinations a message leads to, by the version of the routes that counts for its number.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/destinations.hpp"
#include "makegood/spi/routing.hpp"

namespace makegood::core {

class Routings {
 public:
  void load(std::vector<Routing> routings);
  void add(Routing routing);
  void clear() { versions_.clear(); }
  bool is_empty() const { return versions_.empty(); }
  /// No version leads anything anywhere.
  bool is_without_routes() const;

  const Routing& oldest() const { return versions_.front().routing; }
  const Routing& newest() const { return versions_.back().routing; }
  /// The number of the newest version that leads anything anywhere; of the newest of all, if none does.
  std::int64_t newest_with_routes() const;
  const Routing& version_of(Sequence sequence) const { return at(sequence).routing; }
  /// Null when it is no longer kept.
  const Routing* find(std::int64_t version) const;
  /// The last number for which the version of the number after `reached` counts.
  Sequence end_after(Sequence reached) const;
  /// The first version that leads anything to this destination; null if none does.
  const Routing* first_with(std::string_view destination) const;

  /// Each destination once, in the order of the routes; those of other tenants left out. Empty: no route. Valid until
  /// the next call.
  std::span<const DestinationIndex> leading_from(std::string_view topic, std::string_view tenant_id, Sequence sequence,
                                                 Destinations& destinations);

 private:
  /// Where a topic leads, whosever the message is.
  struct Leads {
    std::vector<DestinationIndex> destinations = {};
    std::vector<std::string> tenants = {};  ///< Of each of them, empty where it is everybody's; none if all are.
  };
  struct Version {
    Routing routing;
    Tenants tenants;
    std::unordered_map<std::string, Leads> known_topics = {};
    const Leads* last_found = nullptr;
    std::string last_topic = {};
  };
  static Leads find_leads(const Version& version, std::string_view topic, Destinations& destinations);
  const Leads& leads_of(std::string_view topic, Sequence sequence, Destinations& destinations);
  const Version& at(Sequence sequence) const { return versions_[index_of(sequence)]; }
  std::size_t index_of(Sequence sequence) const;

  std::vector<Version> versions_;
  std::vector<DestinationIndex> of_tenant_;  ///< What leading_from() has handed out last, where tenants matter.
};

/// Whose the destinations of this version are.
Tenants tenants_in(const Routing& routing);

}  // namespace makegood::core
