#include "api/saga_carriers.hpp"

#include "api/registry_of.hpp"
#include "base/saga_check.hpp"

namespace makegood::api {

Result<> check_carriers(Connections& connections, const SagaDefinition& definition) {
  if (uncarried_urls(definition, {}).empty()) return {};  // It names none.
  OutboxView& view = *MAKEGOOD_TRY(connections.view(connections.api_context().outboxes.front()));
  return check_urls(definition, newest_routing(MAKEGOOD_TRY(view.lane())).destinations);
}

}  // namespace makegood::api
