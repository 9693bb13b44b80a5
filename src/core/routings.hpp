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
#include "makegood/routing.hpp"

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
  const Routing& version_of(Sequence sequence) const { return at(sequence).routing; }
  /// Null when it is no longer kept.
  const Routing* find(std::int64_t version) const;
  /// The last number for which the version of the number after `reached` counts.
  Sequence end_after(Sequence reached) const;
  /// The first version that leads anything to this destination; null if none does.
  const Routing* first_with(std::string_view destination) const;

  /// Each destination once, in the order of the routes. Empty: no route.
  std::span<const DestinationIndex> leading_from(std::string_view topic, Sequence sequence, Destinations& destinations);

 private:
  struct Version {
    Routing routing;
    std::unordered_map<std::string, std::vector<DestinationIndex>> known_topics = {};
    const std::vector<DestinationIndex>* last_found = nullptr;
    std::string last_topic = {};
  };
  const Version& at(Sequence sequence) const { return versions_[index_of(sequence)]; }
  std::size_t index_of(Sequence sequence) const;

  std::vector<Version> versions_;
};

}  // namespace makegood::core
