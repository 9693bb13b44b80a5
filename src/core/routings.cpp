#include "core/routings.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/mutant.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::core {
namespace {

/// Topics come from producers; without a bound they could fill the memory.
constexpr std::size_t known_topics_max = 10'000;

}  // namespace

Tenants tenants_in(const Routing& routing) { return is_mutant("tenants_are_mixed") ? Tenants() : tenants_of(routing); }

void Routings::load(std::vector<Routing> routings) {
  versions_.clear();
  for (Routing& routing : routings) add(std::move(routing));
}

void Routings::add(Routing routing) {
  MAKEGOOD_ASSERT(versions_.empty() || routing.version > newest().version);
  Tenants tenants = tenants_in(routing);
  versions_.push_back({std::move(routing), std::move(tenants)});
}

bool Routings::is_without_routes() const {
  return std::ranges::all_of(versions_, [](const Version& version) { return version.routing.routes.empty(); });
}

std::int64_t Routings::newest_with_routes() const {
  const auto has_routes = [](const Version& version) { return !version.routing.routes.empty(); };
  const auto found = std::ranges::find_if(versions_.rbegin(), versions_.rend(), has_routes);
  return found != versions_.rend() ? found->routing.version : newest().version;
}

std::size_t Routings::index_of(Sequence sequence) const {
  std::size_t index = versions_.size() - 1;
  if (is_mutant("routes_of_today")) return index;
  // The oldest one stands for what is older than anything we know.
  while (index > 0 && versions_[index].routing.from >= sequence) --index;
  return index;
}

const Routing* Routings::find(std::int64_t version) const {
  const auto found = std::ranges::find(versions_, version, [](const Version& v) { return v.routing.version; });
  return found == versions_.end() ? nullptr : &found->routing;
}

Sequence Routings::end_after(Sequence reached) const {
  Sequence end = std::numeric_limits<Sequence>::max();
  const std::int64_t counts = at(reached + 1).routing.version;
  for (const Version& version : versions_) {
    if (version.routing.version > counts) end = std::min(end, version.routing.from);
  }
  return std::max(end, reached);
}

const Routing* Routings::first_with(std::string_view destination) const {
  for (const Version& version : versions_) {
    const auto& routes = version.routing.routes;
    if (std::ranges::find(routes, destination, &Route::destination) != routes.end()) return &version.routing;
  }
  return nullptr;
}

Routings::Leads Routings::find_leads(const Version& version, std::string_view topic, Destinations& destinations) {
  Leads leads;
  bool has_tenants = false;
  for (const Route& route : version.routing.routes) {
    if (!matches(route.pattern, topic)) continue;
    const DestinationIndex index = destinations.at(route.destination);
    if (std::ranges::find(leads.destinations, index) != leads.destinations.end()) continue;
    leads.destinations.push_back(index);
    const auto tenant = version.tenants.find(route.destination);
    leads.tenants.push_back(tenant != version.tenants.end() ? tenant->second : "");
    has_tenants = has_tenants || tenant != version.tenants.end();
  }
  if (!has_tenants) leads.tenants.clear();
  return leads;
}

const Routings::Leads& Routings::leads_of(std::string_view topic, Sequence sequence, Destinations& destinations) {
  Version& version = versions_[index_of(sequence)];
  // Neighbours in a log mostly share their topic, so the last answer is tried before the table.
  if (version.last_found != nullptr && version.last_topic == topic) return *version.last_found;
  if (version.known_topics.size() >= known_topics_max) version.known_topics.clear();
  version.last_topic = topic;
  const auto [place, is_new] = version.known_topics.try_emplace(version.last_topic);
  if (is_new) place->second = find_leads(version, topic, destinations);
  version.last_found = &place->second;
  return *version.last_found;
}

std::span<const DestinationIndex> Routings::leading_from(std::string_view topic, std::string_view tenant_id,
                                                         Sequence sequence, Destinations& destinations) {
  const Leads& leads = leads_of(topic, sequence, destinations);
  if (leads.tenants.empty()) return leads.destinations;
  of_tenant_.clear();
  for (std::size_t index = 0; index < leads.destinations.size(); ++index) {
    const std::string& tenant = leads.tenants[index];
    if (tenant.empty() || tenant == tenant_id) of_tenant_.push_back(leads.destinations[index]);
  }
  return of_tenant_;
}

}  // namespace makegood::core
