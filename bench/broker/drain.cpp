// W16: a backlog to a real broker, beside the bare library of that broker and the drain to a handler.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "bench/asked.hpp"
#include "bench/broker/broker.hpp"
#include "bench/broker/figures.hpp"
#include "bench/broker/relay.hpp"
#include "bench/draining.hpp"
#include "bench/figure.hpp"
#include "bench/finish.hpp"
#include "bench/process.hpp"
#include "bench/scratch.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

/// All three one right after the other, so that they meet the machine in the same mood; several times, since the mood
/// changes.
constexpr int rounds = 5;
constexpr double goal_share = 0.70;
constexpr std::size_t keys = 100'000;

struct Measured {
  std::vector<double> ours, bare, drain;  ///< Messages per second, one for each round.
  std::vector<double> bound;              ///< What the two others could do one after the other.
  std::vector<double> our_cpu, bare_cpu;  ///< Milliseconds for 1,000 messages, without the broker's.
  double peak_megabytes = 0;
  std::size_t lost = 0;
  std::size_t repeated = 0;
};

double per_1000(double milliseconds, std::size_t count) { return milliseconds / static_cast<double>(count) * 1000; }

void send_bare(Broker& broker, std::size_t count, Measured& measured) {
  broker.renew();
  broker.send_bare(Destination{}.in_flight_max, Destination{}.in_flight_max);  // Whoever is there already is warm.
  const double cpu = cpu_milliseconds();
  const auto began = system_clock().monotonic();
  broker.send_bare(count, Destination{}.in_flight_max);
  measured.bare.push_back(static_cast<double>(count) / seconds_since(began));
  measured.bare_cpu.push_back(per_1000(cpu_milliseconds() - cpu, count));
}

/// Until all are confirmed and the lane has been given up, so that the last turn is counted too.
void drain(Broker& broker, std::size_t count, Measured& measured) {
  const Scratch scratch;
  preload(scratch, count);
  broker.renew();
  forget_peak();
  const double cpu = cpu_milliseconds();
  const auto began = system_clock().monotonic();
  Finish finish(count);
  BrokerRelay relay(scratch, broker, finish);
  finish.wait();
  relay.stop();
  measured.ours.push_back(static_cast<double>(count) / seconds_since(began));
  measured.our_cpu.push_back(per_1000(cpu_milliseconds() - cpu, count));
  measured.peak_megabytes = std::max(measured.peak_megabytes, peak_megabytes());
  const std::size_t stored = broker.stored();
  measured.lost += count - std::min(count, stored);
  measured.repeated += stored - std::min(count, stored);
}

void drain_to_nothing(std::size_t count, Measured& measured) {
  const Scratch scratch;
  preload(scratch, count);
  measured.drain.push_back(drain_to_handler(scratch, count).rate);
}

Measured measure(Broker& broker, std::size_t count) {
  Measured measured;
  for (int round = 0; round < rounds; ++round) {
    send_bare(broker, count, measured);
    drain(broker, count, measured);
    drain_to_nothing(count, measured);
    measured.bound.push_back(1 / (1 / measured.bare.back() + 1 / measured.drain.back()));
  }
  return measured;
}

Figure beside(std::string name, std::string unit, const std::vector<double>& ours, const std::vector<double>& limits) {
  const double figure = median(ours);
  return {
      .name = std::move(name), .unit = std::move(unit), .value = figure, .limit = figure / median_share(ours, limits)};
}

/// As many messages as keys, and the destination lets all be on their way at once: the lane has to bound them.
Figure memory_of_many_keys(const Broker& broker, std::string_view name) {
  const Scratch scratch;
  preload_with_keys(scratch, keys);
  forget_peak();
  Finish finish(keys);
  BrokerRelay relay(scratch, broker, finish, {.in_flight_max = keys});
  finish.wait();
  relay.stop();
  return {.name = fmt::format("{}: memory with {} keys, where all may be in flight", name, keys),
          .unit = "MB at most",
          .value = peak_megabytes()};
}

}  // namespace

std::vector<Figure> broker_drain(Broker& broker, std::string_view name) {
  const std::size_t count = asked().messages;
  const Measured measured = measure(broker, count);
  std::vector<Figure> figures = {
      beside(fmt::format("{}: drain of {}", name, count), "messages/s", measured.ours, measured.bound),
      beside(fmt::format("{}: the same beside the bare library alone", name), "messages/s", measured.ours,
             measured.bare),
      {.name = fmt::format("{}: drain to a handler meanwhile", name),
       .unit = "messages/s",
       .value = median(measured.drain)},
      beside(fmt::format("{}: CPU of it, without the broker's", name), "ms per 1,000", measured.our_cpu,
             measured.bare_cpu),
      {.name = fmt::format("{}: memory of it", name), .unit = "MB at most", .value = measured.peak_megabytes},
      {.name = fmt::format("{}: lost by it", name),
       .unit = "messages",
       .value = static_cast<double>(measured.lost),
       .goal = "none",
       .is_met = measured.lost == 0},
      {.name = fmt::format("{}: repeated by it", name),
       .unit = "messages",
       .value = static_cast<double>(measured.repeated)}};
  figures[0].goal = "≥ 70 % of 1/(1/bare + 1/drain)";
  figures[0].is_met = median_share(measured.ours, measured.bound) >= goal_share;
  broker.renew();
  figures.push_back(memory_of_many_keys(broker, name));
  return figures;
}

std::vector<Figure> brokers() {
  const std::unique_ptr<Broker> broker = open_broker();
  const std::string name = asked().broker.substr(0, asked().broker.find(':'));
  std::vector<Figure> figures = broker_drain(*broker, name);
  std::ranges::move(broker_latency(*broker, name), std::back_inserter(figures));
  return figures;
}

}  // namespace makegood::bench
