// A source `redis:<name>`: a stream of Redis, from where the caller says.
#pragma once

#include <memory>

#include "base/sources.hpp"
#include "makegood/brokers.hpp"

namespace makegood::redis {

std::unique_ptr<const SourceKind> new_source_kind(BrokerOptions options);

}  // namespace makegood::redis
