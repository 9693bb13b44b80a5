// W6 by a broker: an open loop at a fixed rate; from the commit's return until a consumer has the message.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "bench/bare.hpp"
#include "bench/broker/broker.hpp"
#include "bench/broker/figures.hpp"
#include "bench/broker/relay.hpp"
#include "bench/figure.hpp"
#include "bench/postgres_traces.hpp"
#include "bench/process.hpp"
#include "bench/producer.hpp"
#include "bench/scratch.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

constexpr auto patience = std::chrono::seconds(60);
constexpr int seconds_of_each = 5;

using Times = std::map<std::string, MonotonicTime>;

double milliseconds(MonotonicTime from, MonotonicTime to) {
  return std::max(0.0, std::chrono::duration<double, std::milli>(to - from).count());
}

/// On a thread of its own: when each message came first.
class Consumer {
 public:
  Consumer(Broker& broker, std::size_t count) : reader_(broker.reader()), thread_([this, count] { read(count); }) {}
  Times arrived() {
    thread_.join();
    return std::move(arrived_);
  }

 private:
  void read(std::size_t count) {
    for (auto last = std::chrono::steady_clock::now(); arrived_.size() < count;) {
      if (const auto event_id = reader_->next()) {
        arrived_.emplace(*event_id, system_clock().monotonic());
        last = std::chrono::steady_clock::now();
      }
      MAKEGOOD_ASSERT(std::chrono::steady_clock::now() - last < patience);
    }
  }

  std::unique_ptr<Reader> reader_;
  Times arrived_;
  std::thread thread_;
};

struct Steady {
  std::vector<double> waits;
  double cpu_ms_per_second = 0;  ///< Of this process with producer and consumer, and of the database server.
};

Times produce(const Scratch& scratch, int per_second, std::size_t count, BrokerRelay& relay) {
  Producer producer(scratch);
  Times committed;
  const auto began = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    std::this_thread::sleep_until(began + i * std::chrono::microseconds(1'000'000 / per_second));
    std::string event_id = producer.produce();
    committed.emplace(std::move(event_id), system_clock().monotonic());
    // Whoever uses PostgreSQL mostly commits in another process: there the relay has to notice by itself.
    if (!scratch.is_postgres()) relay.wake();
  }
  return committed;
}

/// What is enqueued in the first second is not counted: the relay is still starting.
Steady relayed(Broker& broker, int per_second) {
  const Scratch scratch;
  preload(scratch, 0);  // Makes the tables.
  broker.renew();
  Observer nobody;
  const auto first = static_cast<std::size_t>(per_second);
  const std::size_t count = first * seconds_of_each;
  Consumer consumer(broker, first + count);
  BrokerRelay relay(scratch, broker, nobody);
  produce(scratch, per_second, first, relay);
  const double cpu = all_cpu_milliseconds(scratch);
  const Times committed = produce(scratch, per_second, count, relay);
  Steady steady{.waits = {}, .cpu_ms_per_second = (all_cpu_milliseconds(scratch) - cpu) / seconds_of_each};
  const Times arrived = consumer.arrived();
  relay.stop();
  for (const auto& [event_id, at] : committed) steady.waits.push_back(milliseconds(at, arrived.at(event_id)));
  return steady;
}

/// What nobody can be faster than: the reader is there already, reads the row, appends a turn, and sends on a
/// connection that is there too.
std::vector<double> send_at_once(Broker& broker, std::size_t count) {
  const Scratch scratch;
  preload(scratch, 0);
  broker.renew();
  broker.send_bare(1, 1);
  Producer producer(scratch);
  const auto bare = open_bare(scratch);
  const auto reader = broker.reader();
  std::vector<double> waits;
  for (std::size_t i = 0; i < count; ++i) {
    producer.produce();
    const auto committed = system_clock().monotonic();
    MAKEGOOD_ASSERT(bare->read_and_append(500) == 1);
    broker.send_bare(1, 1);
    while (!reader->next()) MAKEGOOD_ASSERT(system_clock().monotonic() - committed < patience);
    waits.push_back(milliseconds(committed, system_clock().monotonic()));
  }
  return waits;
}

}  // namespace

std::vector<Figure> broker_latency(Broker& broker, std::string_view name) {
  std::vector<double> bare = send_at_once(broker, 200);
  std::vector<Figure> figures;
  for (const int per_second : {100, 1000}) {
    Steady steady = relayed(broker, per_second);
    for (const auto& [which, share] : {std::pair{"p50", 0.50}, std::pair{"p99", 0.99}}) {
      figures.push_back({.name = fmt::format("{}: commit → consumer at {}/s, {}", name, per_second, which),
                         .unit = "ms",
                         .value = percentile(steady.waits, share),
                         .limit = percentile(bare, share)});
    }
    figures.push_back({.name = fmt::format("{}: CPU of all but the broker at {}/s", name, per_second),
                       .unit = "ms per s",
                       .value = steady.cpu_ms_per_second});
  }
  return figures;
}

}  // namespace makegood::bench
