#include "bench/pgbench.hpp"

#include <string_view>

#include "bench/http/child.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {

std::optional<double> commits_by_pgbench(const Scratch& scratch, std::size_t clients) {
  auto child =
      Child::start({"pgbench", "--no-vacuum", "--protocol=prepared", "--time=3", "--client=" + std::to_string(clients),
                    "--file=" + beside_this_program("pgbench.sql").string(), scratch.url()});
  if (!child) return std::nullopt;
  const std::string report = child->read_all();
  constexpr std::string_view label = "tps = ";
  const std::size_t place = report.find(label);
  MAKEGOOD_ASSERT(place != std::string::npos);
  return std::stod(report.substr(place + label.size()));
}

}  // namespace makegood::bench
