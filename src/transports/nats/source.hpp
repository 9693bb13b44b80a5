// A source `nats:<name>`: a stream of JetStream, from where the caller says.
#pragma once

#include <memory>

#include "base/sources.hpp"
#include "makegood/brokers.hpp"

namespace makegood::nats {

std::unique_ptr<const SourceKind> new_source_kind(BrokerOptions options);

}  // namespace makegood::nats
