#include "base/sieve.hpp"

#include <algorithm>

namespace makegood {

bool Sieve::wants(std::string_view topic, std::string_view tenant_id, std::string_view dispatch_key, int priority) {
  if (filter_.scope && !contains(*filter_.scope, tenant_id, dispatch_key, priority)) return false;
  if (topic_ != topic) follow(topic);
  bool leads_anywhere = false;
  for (const Way& way : ways_) {
    if (!way.tenant_id.empty() && way.tenant_id != tenant_id) continue;
    leads_anywhere = true;
    const bool is_carried_here = std::ranges::none_of(
        way.elsewhere, [&](const Scope* scope) { return contains(*scope, tenant_id, dispatch_key, priority); });
    if (is_carried_here) return true;
  }
  return !leads_anywhere && !filter_.scope;
}

void Sieve::follow(std::string_view topic) {
  topic_ = topic;
  ways_.clear();
  for (const Route& route : filter_.routes) {
    const bool is_ours = !filter_.scope || route.destination == filter_.scope->destination;
    if (is_ours && matches(route.pattern, topic)) add_way(route.destination);
  }
}

void Sieve::add_way(std::string_view destination) {
  const bool is_known = std::ranges::find(ways_, destination, &Way::destination) != ways_.end();
  if (is_known) return;
  const auto tenant = filter_.tenants.find(destination);
  Way& way = ways_.emplace_back(
      Way{.destination = destination,
          .tenant_id = tenant != filter_.tenants.end() ? std::string_view(tenant->second) : std::string_view(),
          .elsewhere = {}});
  for (const Scope& scope : filter_.elsewhere) {
    if (scope.destination == destination) way.elsewhere.push_back(&scope);
  }
}

}  // namespace makegood
