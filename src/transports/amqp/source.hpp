// A source `amqp:<name>`: a queue, of which what was not taken in comes again.
#pragma once

#include <memory>

#include "base/sources.hpp"
#include "makegood/brokers.hpp"

namespace makegood::amqp {

std::unique_ptr<const SourceKind> new_source_kind(BrokerOptions options);

}  // namespace makegood::amqp
