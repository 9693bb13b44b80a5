// One call of a handler: whatever it does becomes an outcome.
#pragma once

#include "transports/local/routes.hpp"

namespace makegood::local {

/// No handler is a failure, never a success; an exception is tried again.
Outcome run(const HandlerRoutes& routes, const Delivery& delivery);

}  // namespace makegood::local
