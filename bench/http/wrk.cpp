#include "bench/http/wrk.hpp"

#include <fmt/format.h>

#include "bench/http/child.hpp"
#include "bench/http/relay.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {

std::optional<double> wrk(const std::string& url, std::size_t connections, std::size_t threads) {
  auto child = Child::start({"wrk", "--threads", std::to_string(threads), "--connections", std::to_string(connections),
                             "--duration", "2s", "--script", beside_this_program("post.lua").string(), url});
  if (!child) return std::nullopt;
  const std::string report = child->read_all();
  constexpr std::string_view label = "Requests/sec:";
  const std::size_t place = report.find(label);
  MAKEGOOD_ASSERT(place != std::string::npos);
  return std::stod(report.substr(place + label.size()));
}

}  // namespace makegood::bench
