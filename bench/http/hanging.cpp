// 200 of 1,000 destinations never answer: what the others feel of it.
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <ranges>
#include <thread>
#include <unordered_map>

#include "bench/figure.hpp"
#include "bench/finish.hpp"
#include "bench/http/endpoint.hpp"
#include "bench/http/relay.hpp"
#include "bench/process.hpp"
#include "bench/producer.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

constexpr std::size_t host_count = 1000;
constexpr std::size_t hanging_count = 200;
constexpr std::size_t per_second = 500;
/// By then those that hang would have filled the window, since the timeout is longer.
constexpr std::size_t seconds = 24;
constexpr std::size_t message_count = seconds * per_second;
constexpr int rounds = 3;
/// When the disk stops for a moment, as it does on shared machines, all of that falls on one slice; the median leaves
/// it out.
constexpr auto slice = std::chrono::seconds(2);
constexpr double goal_times = 2;
static_assert(message_count % host_count == 0);

struct Seen {
  std::vector<double> p50, p99;   ///< Of the healthy ones, in ms; one for each slice.
  std::vector<double> p99_whole;  ///< One for each run.
  std::vector<double> megabytes;  ///< At most; one for each run.
  double threads = 0;
};

/// Every fifth of the hosts is a suspect. It gets nothing, or answers like the others, or never does.
enum class Suspects { absent, healthy, hanging };
bool is_suspect(std::size_t host) { return host % (host_count / hanging_count) == 0; }
std::string topic_of(std::size_t host) { return fmt::format("bench.{}", host); }

std::vector<Line> lines_to(const Endpoint& endpoint, Suspects suspects) {
  std::vector<Line> lines;
  lines.reserve(host_count);
  for (std::size_t host = 0; host < host_count; ++host)
    lines.push_back(
        {.topic = topic_of(host),
         .url = endpoint.url(is_suspect(host) && suspects == Suspects::hanging ? "/hang" : "/noted", host)});
  return lines;
}

/// To each destination in turn, evenly. Only what the others get is timed.
class Traffic {
 public:
  Traffic(const Scratch& scratch, Relay& relay) : producer_(scratch), relay_(relay) {}
  void run(Suspects suspects) {
    const auto began = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < message_count; ++i) {
      const std::size_t host = i % host_count;
      if (is_suspect(host) && suspects == Suspects::absent) continue;
      std::this_thread::sleep_until(began + i * std::chrono::microseconds(1'000'000 / per_second));
      const std::string event_id = producer_.produce(topic_of(host));
      if (!is_suspect(host)) committed_[event_id] = system_clock().monotonic();
      relay_.wake();
    }
  }
  /// One list for each slice.
  std::vector<std::vector<double>> waits(const std::vector<Arrival>& arrivals) const {
    std::map<std::int64_t, std::vector<double>> waits;
    for (const Arrival& arrival : arrivals) {
      const auto committed = committed_.find(arrival.event_id);
      if (committed == committed_.end()) continue;
      const std::chrono::duration<double, std::milli> wait = arrival.at - committed->second;
      waits[arrival.at.time_since_epoch() / slice].push_back(wait.count());
    }
    const auto lists = std::views::values(waits);
    return {lists.begin(), lists.end()};
  }

 private:
  Producer producer_;
  Relay& relay_;
  std::unordered_map<std::string, MonotonicTime> committed_;
};

void measure(Suspects suspects, Seen& seen) {
  forget_peak();
  const Scratch scratch;
  const Endpoint endpoint(host_count);
  const std::size_t answering = suspects == Suspects::healthy ? host_count : host_count - hanging_count;
  Finish finish(message_count / host_count * answering);
  Relay relay(scratch, lines_to(endpoint, suspects), finish);
  Traffic traffic(scratch, relay);
  traffic.run(suspects);
  finish.wait();
  seen.threads = std::max(seen.threads, thread_count());
  seen.megabytes.push_back(peak_megabytes());
  relay.stop(Duration(0));
  std::vector<double> whole;
  for (auto& waits : traffic.waits(endpoint.arrivals())) {
    seen.p50.push_back(percentile(waits, 0.50));
    seen.p99.push_back(percentile(waits, 0.99));
    whole.insert(whole.end(), waits.begin(), waits.end());
  }
  seen.p99_whole.push_back(percentile(whole, 0.99));
}

}  // namespace

std::vector<Figure> http_hanging() {
  Seen without;
  Seen healthy;
  Seen with;
  for (int round = 0; round < rounds; ++round) {
    measure(Suspects::absent, without);
    measure(Suspects::hanging, with);
    measure(Suspects::healthy, healthy);
  }
  const double p99 = median(with.p99);
  const double p99_without = median(without.p99);
  return {{.name = "800 healthy beside 200 hanging destinations, p50 of 2 s",
           .unit = "ms",
           .value = median(with.p50),
           .limit = median(without.p50)},
          {.name = "800 healthy beside 200 hanging destinations, p99 of 2 s",
           .unit = "ms",
           .value = p99,
           .limit = p99_without,
           .goal = "≤ 2 × without them",
           .is_met = p99 <= goal_times * p99_without},
          {.name = "the same beside 200 more healthy ones, as many messages",
           .unit = "ms",
           .value = p99,
           .limit = median(healthy.p99)},
          {.name = "800 healthy beside 200 hanging destinations, p99 of the whole run",
           .unit = "ms",
           .value = median(with.p99_whole),
           .limit = median(without.p99_whole)},
          {.name = "threads with 200 hanging destinations",
           .unit = "threads",
           .value = with.threads,
           .limit = without.threads,
           .goal = "no more than without them",
           .is_met = with.threads <= without.threads},
          {.name = "memory with 200 hanging destinations",
           .unit = "MB at most",
           .value = median(with.megabytes),
           .limit = median(without.megabytes)}};
}

}  // namespace makegood::bench
