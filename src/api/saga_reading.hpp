// Which execution a call speaks of.
#pragma once

#include <string>

#include "api/operation.hpp"
#include "api/saga_view.hpp"

namespace makegood::api {

/// From a query: whose execution it is.
std::string saga_tenant(Fields& query);
const std::string& saga_id(const RoutedCall& routed);
/// The execution of the path and of the query's tenant.
Result<SagaExecutionView> routed_saga(const RoutedCall& routed);

}  // namespace makegood::api
