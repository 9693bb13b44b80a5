// HTTP to a server of this process as the subject of the transport suite.
#pragma once

#include <memory>

#include "tests/conformance/transports/transport_suite.hpp"

namespace makegood::conformance {

std::unique_ptr<TransportUnderTest> http_under_test(std::size_t threads);

}  // namespace makegood::conformance
