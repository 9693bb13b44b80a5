// How many connections this process may have.
#pragma once

#include <cstddef>

namespace makegood::daemon {

/// Raises the soft limit of open descriptors to `wanted`, as far as the hard one allows. Answers what it is now.
std::size_t raise_descriptor_limit(std::size_t wanted);
/// What is left for callers when `reserved` are kept for everything else; a quarter of all at least.
std::size_t connections_within(std::size_t descriptors, std::size_t reserved);

}  // namespace makegood::daemon
