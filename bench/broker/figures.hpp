// What is told of each broker.
#pragma once

#include <string_view>
#include <vector>

#include "bench/broker/broker.hpp"
#include "bench/figure.hpp"

namespace makegood::bench {

std::vector<Figure> broker_drain(Broker& broker, std::string_view name);
std::vector<Figure> broker_latency(Broker& broker, std::string_view name);

}  // namespace makegood::bench
