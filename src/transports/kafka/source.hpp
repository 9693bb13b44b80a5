// A source `kafka:<name>`: all partitions of its topics, from where the caller says. The offsets of a group are written
// for others to see, and never read.
#pragma once

#include <memory>
#include <string>

#include "base/sources.hpp"
#include "makegood/brokers.hpp"
#include "makegood/spi/source.hpp"

namespace makegood::kafka {

std::unique_ptr<const SourceKind> new_source_kind(BrokerOptions options);

}  // namespace makegood::kafka
