// A transport to brokers of one kind: a loop with a carrier.
#pragma once

#include <memory>

#include "makegood/brokers.hpp"
#include "makegood/spi/transport.hpp"
#include "transports/broker/protocol.hpp"

namespace makegood::broker {

Result<std::unique_ptr<Transport>> new_broker_transport(std::unique_ptr<const Dialect> dialect, BrokerOptions options,
                                                        const Clock& clock);

}  // namespace makegood::broker
