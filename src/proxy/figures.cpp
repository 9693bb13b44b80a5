#include "proxy/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

namespace makegood::proxy {
namespace {

constexpr auto treatments =
    std::to_array<std::string_view>({"passed", "worked", "replayed", "busy", "mismatch", "in_doubt", "no_key",
                                     "no_principal", "too_large", "not_http", "store_away", "crowded"});
constexpr auto endings = std::to_array<std::string_view>({"answered", "never_left", "timeout", "cut"});

struct Family {
  std::string_view name;
  std::string_view help;
  std::string_view label;
};

std::string counters(const Family& family, std::span<const std::string_view> words,
                     std::span<const std::atomic<std::uint64_t>> values) {
  std::string text = fmt::format("# HELP {0} {1}\n# TYPE {0} counter\n", family.name, family.help);
  for (std::size_t i = 0; i < words.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}{{{}=\"{}\"}} {}\n", family.name, family.label, words[i],
                   values[i].load(std::memory_order_relaxed));
  }
  return text;
}

std::string single(std::string_view name, std::string_view kind, std::string_view help, std::uint64_t value) {
  return fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", name, help, kind, value);
}

}  // namespace

void Figures::took(Duration duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  const auto* const bucket = std::ranges::lower_bound(boundaries, seconds);
  add(buckets_.at(static_cast<std::size_t>(bucket - boundaries.begin())));
  const auto passed = static_cast<std::uint64_t>(std::max<Duration::rep>(duration.count(), 0));
  microseconds_.store(microseconds_.load(std::memory_order_relaxed) + passed, std::memory_order_relaxed);
}

std::string Figures::text() const {
  std::string text =
      counters({"tx_proxy_requests_total", "Requests, by how they were treated.", "as"}, treatments, treated_) +
      counters({"tx_proxy_keys_settled_total", "Keys of forwarded requests, by what became of them.", "as"}, fate_words,
               settled_) +
      counters({"tx_proxy_upstream_total", "Requests to the upstream, by how they ended.", "how"}, endings, ended_);
  text +=
      "# HELP tx_proxy_request_seconds From the whole request with a key to its answer.\n"
      "# TYPE tx_proxy_request_seconds histogram\n";
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    count += buckets_.at(i).load(std::memory_order_relaxed);
    const std::string boundary = i < boundaries.size() ? fmt::format("{}", boundaries.at(i)) : "+Inf";
    fmt::format_to(std::back_inserter(text), "tx_proxy_request_seconds_bucket{{le=\"{}\"}} {}\n", boundary, count);
  }
  text += fmt::format("tx_proxy_request_seconds_sum {}\ntx_proxy_request_seconds_count {}\n",
                      static_cast<double>(microseconds_.load(std::memory_order_relaxed)) / 1e6, count);
  return text +
         single("tx_proxy_unsettled_total", "counter", "Answers that could not be stored with their keys.",
                unsettled_) +
         single("tx_proxy_connections", "gauge", "Connections of clients that are open.", connections_) +
         single("tx_proxy_exchanges", "gauge", "Requests with keys that are under way.", exchanges_);
}

}  // namespace makegood::proxy
