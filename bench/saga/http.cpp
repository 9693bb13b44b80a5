// W10 over HTTP: `makegood serve`, whose executions are started by POST /api/saga/execute and waited for in the same
// call; their steps are requests to an endpoint that answers at once.
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "bench/figure.hpp"
#include "bench/http/child.hpp"
#include "bench/http/endpoint.hpp"
#include "bench/postgres_traces.hpp"
#include "bench/saga/bare_saga.hpp"
#include "bench/saga/station.hpp"
#include "bench/server/daemon.hpp"
#include "makegood/spi/assert.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood::bench {
namespace {

constexpr int rounds = 3;
constexpr const char* route = "/api/saga/execute";
constexpr auto patience = std::chrono::seconds(20);

struct Load {
  double per_second = 0;
  double p50_ms = 0;
  double p99_ms = 0;
  double not_200 = 0;
};

/// Empty where wrk is not installed.
std::optional<Load> load(const std::string& url, std::size_t connections, std::size_t steps, int seconds) {
  auto child =
      Child::start({"wrk", "--threads", "1", "--connections", std::to_string(connections), "--duration",
                    fmt::format("{}s", seconds), "--timeout", "30s", "--script",
                    beside_this_program("execute.lua").string(), url + route, "--", fmt::format("chain{}", steps)});
  if (!child) return std::nullopt;
  const std::string report = child->read_all();
  const std::size_t place = report.find("figures:");
  MAKEGOOD_ASSERT(place != std::string::npos);
  std::istringstream words(report.substr(place + std::string_view("figures:").size()));
  Load load;
  words >> load.per_second >> load.p50_ms >> load.p99_ms >> load.not_200;
  return load;
}

/// The document that it begins with: the endpoint, and chains of steps over it.
class Document {
 public:
  explicit Document(const Scratch& scratch, const std::string& endpoint) {
    std::ofstream file(path_);
    file << fmt::format("destinations:\n  - {{name: \"{}\", http: {{url: \"{}\"}}}}\n", saga_endpoint, endpoint);
    file.close();
    MAKEGOOD_ASSERT(open_saga_store(scratch.url()).has_value());
    const auto view = open_saga_view(scratch.url()).value();
    for (const std::size_t steps : {2U, 10U}) {
      const std::string name = fmt::format("chain{}", steps);
      put_definition(*view, chain_of(name, steps, std::string(saga_endpoint) + "/step")).value();
    }
  }
  ~Document() { std::filesystem::remove(path_); }
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
  const std::string& path() const { return path_; }

 private:
  const char* const place_ = std::getenv("MAKEGOOD_BENCH_DIR");
  const std::string path_ = std::string(place_ == nullptr ? "." : place_) + "/saga-steps.yaml";
};

/// Until the first execution has gone through: destinations are applied, the orchestrator has its log.
void warm_up(const std::string& url) {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (auto first = load(url, 1, 2, 1); first && (first->per_second < 1 || first->not_200 > 0);
       first = load(url, 1, 2, 1)) {
    MAKEGOOD_ASSERT(std::chrono::steady_clock::now() < until);
  }
}

/// As many commits, and as many requests in flight between them.
double bare_rate(const std::string& endpoint, std::size_t in_flight, std::size_t steps, double like) {
  const Scratch scratch;
  {
    const SagaStation makes_tables(scratch);
  }
  BareClient calls(endpoint, in_flight);
  return bare_executions_per_second(*open_bare_saga(scratch), {.in_flight = in_flight,
                                                               .steps = steps,
                                                               .count = static_cast<std::size_t>(like * 2) + in_flight,
                                                               .calls = &calls});
}

void measure(std::vector<Figure>& figures, std::size_t steps, std::size_t in_flight) {
  std::vector<double> rates;
  std::vector<double> bare;
  std::vector<double> p50;
  std::vector<double> p99;
  std::vector<Figure> traces;
  double wrong = 0;
  const Endpoint endpoint;
  for (int round = 0; round < rounds; ++round) {
    const Scratch scratch;
    const Document document(scratch, endpoint.url("/"));
    const Daemon daemon(scratch, {"--apply", document.path()});
    warm_up(daemon.url());
    const PostgresTraces before(scratch);
    const auto loaded = load(daemon.url(), in_flight, steps, 3);
    if (!loaded) return;
    traces = before.of_executions(static_cast<std::size_t>(loaded->per_second * 3));
    rates.push_back(loaded->per_second);
    p50.push_back(loaded->p50_ms);
    p99.push_back(loaded->p99_ms);
    wrong += loaded->not_200;
    bare.push_back(bare_rate(endpoint.url("/step"), in_flight, steps, loaded->per_second));
  }
  const std::string name = fmt::format("{} HTTP steps, submit and wait, {} in flight", steps, in_flight);
  figures.push_back({.name = name,
                     .unit = "executions/s",
                     .value = median(rates),
                     .limit = median(bare),
                     .goal = "all completed",
                     .is_met = wrong == 0});
  figures.push_back({.name = name + ", p50", .unit = "ms", .value = median(p50)});
  figures.push_back({.name = name + ", p99", .unit = "ms", .value = median(p99)});
  std::ranges::move(traces, std::back_inserter(figures));
}

}  // namespace

std::vector<Figure> saga_http() {
  std::vector<Figure> figures;
  for (const std::size_t in_flight : {10U, 20U, 64U}) measure(figures, 2, in_flight);
  measure(figures, 10, 64);
  return figures;
}

}  // namespace makegood::bench
