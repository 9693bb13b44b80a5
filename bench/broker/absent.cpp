// In the place of the others, where the bare libraries were not there when this was built.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "bench/figure.hpp"

namespace makegood::bench {

std::vector<Figure> brokers() {
  fmt::print(stderr,
             "This program was built without the clients of brokers. Install libnats-dev, librabbitmq-dev and "
             "libhiredis-dev, and run cmake again; bench/run does both.\n");
  std::exit(EXIT_FAILURE);  // NOLINT(concurrency-mt-unsafe): nothing runs beside it.
}

}  // namespace makegood::bench
