// Whether somebody carries the calls of a saga that name a whole URL.
#pragma once

#include "api/connections.hpp"
#include "makegood/saga_definition.hpp"

namespace makegood::api {

/// Steps call the destinations of the first outbox. Errc::invalid with all calls that none of them carries.
Result<> check_carriers(Connections& connections, const SagaDefinition& definition);

}  // namespace makegood::api
