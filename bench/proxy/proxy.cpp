// What `makegood proxy` costs beside a bare proxy of the same library: with durable claims, and without keys.
#include <fmt/format.h>

#include <functional>
#include <optional>

#include "bench/bare.hpp"
#include "bench/figure.hpp"
#include "bench/http/child.hpp"
#include "bench/http/endpoint.hpp"
#include "bench/process.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

constexpr int rounds = 3;
constexpr double goal_on_sqlite = 0.60;
constexpr double goal_on_postgres = 0.50;
constexpr double goal_without_keys = 0.90;
constexpr double goal_milliseconds = 0.3;
constexpr int commits = 300;
constexpr std::string_view path = "/orders";

/// Requests per second; empty where wrk is not installed. An answer that is no success ends the measurement.
std::optional<double> load(const std::string& url, std::size_t connections) {
  auto child = Child::start({"wrk", "--threads", "1", "--connections", std::to_string(connections), "--duration", "3s",
                             "--script", beside_this_program("keyed.lua").string(), url});
  if (!child) return std::nullopt;
  const std::string report = child->read_all();
  MAKEGOOD_ASSERT(report.find("Non-2xx") == std::string::npos);
  constexpr std::string_view label = "Requests/sec:";
  const std::size_t place = report.find(label);
  MAKEGOOD_ASSERT(place != std::string::npos);
  return std::stod(report.substr(place + label.size()));
}

/// A program that prints a line with its URL.
class Front {
 public:
  explicit Front(std::vector<std::string> words) : child_(started(std::move(words))) {
    const std::string hello = child_.read_line();
    const std::size_t begin = hello.rfind("http://");
    MAKEGOOD_ASSERT(begin != std::string::npos);
    url_ = hello.substr(begin) + std::string(path);
  }
  const std::string& url() const { return url_; }

 private:
  static Child started(std::vector<std::string> words) {
    words.front() = beside_this_program(words.front()).string();
    auto child = Child::start(std::move(words));
    MAKEGOOD_ASSERT(child.has_value());
    return std::move(*child);
  }

  Child child_;
  std::string url_;
};

Front our_proxy(const Scratch& scratch, const std::string& upstream, std::vector<std::string> flags) {
  std::vector<std::string> words = {"makegood", "proxy",       "--store",    scratch.url(),
                                    "--listen", "127.0.0.1:0", "--upstream", upstream};
  words.insert(words.end(), flags.begin(), flags.end());
  return Front(std::move(words));
}

struct Round {
  double bare, passing, keyed;
};

std::optional<Round> measure(std::size_t connections) {
  const Endpoint service;
  const std::string upstream = service.url("");
  const std::string port = upstream.substr(upstream.rfind(':') + 1);
  const Scratch scratch;
  const Front bare({"makegood-bench-beast-proxy", port});
  const Front passing = our_proxy(scratch, upstream, {});
  const Front keyed = our_proxy(scratch, upstream, {"--no-principal", "--path", "/**"});
  const auto alone = load(bare.url(), connections);
  const auto passed = load(passing.url(), connections);
  const auto claimed = load(keyed.url(), connections);
  if (!alone || !passed || !claimed) return std::nullopt;
  return Round{*alone, *passed, *claimed};
}

template <class Value>
double median_of(const std::vector<Round>& all, Value value) {
  std::vector<double> values;
  for (const Round& round : all) values.push_back(std::invoke(value, round));
  return median(values);
}

std::vector<Figure> requests(std::size_t connections) {
  std::vector<Round> all;
  for (int round = 0; round < rounds; ++round) {
    const auto measured = measure(connections);
    if (!measured) return {};
    all.push_back(*measured);
  }
  const double goal = Scratch::measured() == Scratch::Kind::postgres ? goal_on_postgres : goal_on_sqlite;
  const double keyed = median_of(all, [](const Round& round) { return round.keyed / round.bare; });
  const double passing = median_of(all, [](const Round& round) { return round.passing / round.bare; });
  return {{.name = fmt::format("proxy with durable claims, {} connections", connections),
           .unit = "requests/s",
           .value = median_of(all, &Round::keyed),
           .limit = median_of(all, &Round::bare),
           .goal = fmt::format("≥ {:.0f} % of a bare proxy", goal * 100),
           .is_met = keyed >= goal},
          {.name = fmt::format("proxy without keys, {} connections", connections),
           .unit = "requests/s",
           .value = median_of(all, &Round::passing),
           .limit = median_of(all, &Round::bare),
           .goal = "≥ 90 % of a bare proxy",
           .is_met = passing >= goal_without_keys}};
}

/// A row of its own, and synced.
double commit_milliseconds() {
  const Scratch scratch;
  preload(scratch, 0);  // Makes the tables.
  const auto bare = open_bare(scratch);
  const NewMessage message = a_message();
  const MonotonicTime began = system_clock().monotonic();
  for (int i = 0; i < commits; ++i) bare->insert(message, 1);
  return seconds_since(began) * 1000 / commits;
}

std::vector<Figure> alone() {
  std::vector<double> ours;
  std::vector<double> limits;
  for (int round = 0; round < rounds; ++round) {
    const double commit = commit_milliseconds();
    const auto measured = measure(1);
    if (!measured) return {};
    ours.push_back(1000 / measured->keyed);
    limits.push_back(1000 / measured->bare + 2 * commit);
  }
  return {{.name = "proxy, one connection, a request with a key",
           .unit = "ms",
           .value = median(ours),
           .limit = median(limits),
           .goal = "≤ a bare proxy, two synced commits and 0.3 ms",
           .is_met = median(ours) <= median(limits) + goal_milliseconds}};
}

}  // namespace

std::vector<Figure> proxy() {
  std::vector<Figure> figures = alone();
  for (const std::size_t connections : {64U, 256U}) {
    for (Figure& figure : requests(connections)) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace makegood::bench
