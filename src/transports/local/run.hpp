// One call of a handler: whatever it does becomes a reply.
#pragma once

#include "transports/local/routes.hpp"

namespace makegood::local {

/// No handler is a failure, never a success, and for a step of a saga nothing that counts; an exception is tried again;
/// what is too late is not called at all.
Reply run(const HandlerRoutes& routes, const Delivery& delivery);

}  // namespace makegood::local
