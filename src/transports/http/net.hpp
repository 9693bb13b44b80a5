// What HTTP shares with other transports (transports/net) is spoken of here without its namespace.
#pragma once

#include "transports/net/address.hpp"

namespace makegood::http {

using namespace net;

}  // namespace makegood::http
