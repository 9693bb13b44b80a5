#include "server/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace makegood::server {
namespace {

/// One thread writes: no need to make the others wait for it.
void add_to(std::atomic<std::uint64_t>& counter, std::uint64_t count) {
  counter.store(counter.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
}

constexpr std::array<std::string_view, 7> refusal_names = {"connections", "streams", "queue",  "unauthorized",
                                                           "forbidden",   "request", "timeout"};

std::string gauge(std::string_view name, std::string_view help, std::uint64_t value) {
  return fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n{0} {2}\n", name, help, value);
}

}  // namespace

Figures::Figures(const std::string& metrics_path) : labels_(metrics_path), requests_(labels_.size()) {}

void Figures::answered(std::string_view method, std::string_view path, int status, Duration duration) {
  const auto status_class = static_cast<std::size_t>(std::clamp(status / 100, 1, 5) - 1);
  add_to(requests_.at(labels_.find(method, path)).at(status_class), 1);
  const double seconds = std::chrono::duration<double>(duration).count();
  const auto* const bucket = std::ranges::lower_bound(boundaries, seconds);
  add_to(buckets_.at(static_cast<std::size_t>(bucket - boundaries.begin())), 1);
  add_to(microseconds_, static_cast<std::uint64_t>(std::max<Duration::rep>(duration.count(), 0)));
}

void Figures::refused(Refusal why) { add_to(refused_.at(std::to_underlying(why)), 1); }

std::string Figures::requests_text() const {
  std::string text =
      "# HELP tx_http_requests_total Calls answered, by route and class of status.\n"
      "# TYPE tx_http_requests_total counter\n";
  for (std::size_t route = 0; route < requests_.size(); ++route) {
    for (std::size_t i = 0; i < status_classes; ++i) {
      const std::uint64_t count = requests_[route].at(i).load(std::memory_order_relaxed);
      if (count == 0) continue;
      fmt::format_to(std::back_inserter(text), "tx_http_requests_total{{{},status=\"{}xx\"}} {}\n",
                     labels_.label(route), i + 1, count);
    }
  }
  return text;
}

std::string Figures::seconds_text() const {
  std::string text =
      "# HELP tx_http_request_seconds From the whole request to its answer.\n"
      "# TYPE tx_http_request_seconds histogram\n";
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    count += buckets_.at(i).load(std::memory_order_relaxed);
    const std::string boundary = i < boundaries.size() ? fmt::format("{}", boundaries.at(i)) : "+Inf";
    fmt::format_to(std::back_inserter(text), "tx_http_request_seconds_bucket{{le=\"{}\"}} {}\n", boundary, count);
  }
  const double sum = static_cast<double>(microseconds_.load(std::memory_order_relaxed)) / 1e6;
  return text + fmt::format("tx_http_request_seconds_sum {}\ntx_http_request_seconds_count {}\n", sum, count);
}

std::string Figures::text() const {
  std::string text = requests_text() + seconds_text() +
                     "# HELP tx_http_refused_total Who was not served, and why.\n"
                     "# TYPE tx_http_refused_total counter\n";
  for (std::size_t i = 0; i < refused_.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "tx_http_refused_total{{why=\"{}\"}} {}\n", refusal_names.at(i),
                   refused_.at(i).load(std::memory_order_relaxed));
  }
  return text + gauge("tx_http_connections", "Connections that are open.", connections_) +
         gauge("tx_http_streams", "Streams of events that are open.", streams_);
}

}  // namespace makegood::server
