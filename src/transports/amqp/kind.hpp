// AMQP 0.9.1, as a process knows it.
#pragma once

#include <memory>

#include "base/transports.hpp"
#include "makegood/brokers.hpp"

namespace makegood::amqp {

std::unique_ptr<const TransportKind> new_kind(BrokerOptions options);

}  // namespace makegood::amqp
