// The list of transports that keep the promises of the suite: one line each.
#include "tests/conformance/transports/http_under_test.hpp"
#include "tests/conformance/transports/local_under_test.hpp"
#include "tests/conformance/transports/transport_suite.hpp"

namespace makegood::conformance {

INSTANTIATE_TEST_SUITE_P(Local, TransportSuite,
                         testing::Values(TransportEntry{"local", [] { return local_under_test(4); }}));
INSTANTIATE_TEST_SUITE_P(Http, TransportSuite,
                         testing::Values(TransportEntry{"http", [] { return http_under_test(1); }},
                                         TransportEntry{"http_on_two_threads", [] { return http_under_test(2); }}));

}  // namespace makegood::conformance
