// The list of transports that keep the promises of the suite: one line each.
#include "tests/conformance/transports/local_under_test.hpp"
#include "tests/conformance/transports/transport_suite.hpp"

namespace makegood::conformance {

INSTANTIATE_TEST_SUITE_P(Local, TransportSuite,
                         testing::Values(TransportEntry{"local", [] { return local_under_test(4); }}));

}  // namespace makegood::conformance
