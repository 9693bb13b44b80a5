// W6: an open loop at a fixed rate; from the commit's return to the handler's start.
#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>

#include "bench/bare.hpp"
#include "bench/elsewhere.hpp"
#include "bench/figure.hpp"
#include "bench/producer.hpp"
#include "bench/scratch.hpp"
#include "makegood/node.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

constexpr double goal_p99_ms = 8;
constexpr double goal_p99_ms_at_1000 = 25;
constexpr double goal_notice_ms = 20;

/// When each event was committed and when its handler began. Thread-safe.
class Stopwatch {
 public:
  void committed(const std::string& event_id, MonotonicTime at) { note(event_id, at, committed_, received_); }
  void received(const std::string& event_id, MonotonicTime at) { note(event_id, at, received_, committed_); }
  std::vector<double> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    all_.wait(lock, [&] { return milliseconds_.size() >= count; });
    return milliseconds_;
  }

 private:
  using Times = std::map<std::string, MonotonicTime>;
  /// A handler may begin before the producer's thread has read its clock after the commit: that counts as no time.
  void note(const std::string& event_id, MonotonicTime at, Times& mine, Times& others) {
    const std::scoped_lock lock(mutex_);
    const auto other = others.find(event_id);
    if (other == others.end()) {
      mine[event_id] = at;
      return;
    }
    const auto took = &mine == &received_ ? at - other->second : other->second - at;
    milliseconds_.push_back(std::max(0.0, std::chrono::duration<double, std::milli>(took).count()));
    others.erase(other);
    all_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable all_;
  Times committed_;
  Times received_;
  std::vector<double> milliseconds_;
};

/// A relay whose handler stops the time.
class TimedRelay {
 public:
  TimedRelay() {
    node_.on("bench.*", "stop", [this](const Delivery& delivery) {
      stopwatch_.received(std::string(delivery.message->event_id), system_clock().monotonic());
      return Outcome::ok();
    });
    node_.start().value();
  }
  ~TimedRelay() { node_.stop(); }
  TimedRelay(const TimedRelay&) = delete;
  TimedRelay& operator=(const TimedRelay&) = delete;

  const Scratch& scratch() const { return scratch_; }
  Stopwatch& stopwatch() { return stopwatch_; }
  void wake() { node_.wake(); }

 private:
  const Scratch scratch_;
  Stopwatch stopwatch_;
  Node node_ = Node::open(scratch_.url()).value();
};

std::vector<double> open_loop(int per_second, std::size_t count) {
  TimedRelay relay;
  Producer producer(relay.scratch());
  produce_at(per_second, count, producer, [&](const std::string& event_id, MonotonicTime committed_at) {
    relay.wake();
    relay.stopwatch().committed(event_id, committed_at);
  });
  return relay.stopwatch().wait_for(count);
}

/// The producer is another process and rings no bell: the relay has to notice by itself.
std::vector<double> open_loop_elsewhere(int per_second, std::size_t count) {
  TimedRelay relay;
  for (const auto& [event_id, committed_at] : produce_elsewhere(relay.scratch(), per_second, count))
    relay.stopwatch().committed(event_id, committed_at);
  return relay.stopwatch().wait_for(count);
}

/// What nobody can be faster than: the reader is there already, reads the row and appends a turn.
std::vector<double> read_at_once(std::size_t count) {
  const Scratch scratch;
  preload(scratch, 0);
  Producer producer(scratch);
  const auto reader = open_bare(scratch);
  std::vector<double> milliseconds;
  for (std::size_t i = 0; i < count; ++i) {
    producer.produce();
    const auto began = system_clock().monotonic();
    MAKEGOOD_ASSERT(reader->read_and_append(500) == 1);
    milliseconds.push_back(std::chrono::duration<double, std::milli>(system_clock().monotonic() - began).count());
  }
  return milliseconds;
}

std::vector<Figure> steady(int per_second, std::size_t count) {
  auto ours = open_loop(per_second, count);
  auto bare = read_at_once(500);
  const auto figure = [&](std::string_view name, double share) {
    return Figure{.name = fmt::format("commit → handler at {}/s, {}", per_second, name),
                  .unit = "ms",
                  .value = percentile(ours, share),
                  .limit = percentile(bare, share)};
  };
  std::vector<Figure> figures = {figure("p50", 0.50), figure("p99", 0.99)};
  const double goal_ms = per_second == 100 ? goal_p99_ms : goal_p99_ms_at_1000;
  figures.back().goal = fmt::format("≤ {:.0f} ms", goal_ms);
  figures.back().is_met = figures.back().value <= goal_ms;
  return figures;
}

}  // namespace

std::vector<Figure> latency_100() { return steady(100, 1000); }
std::vector<Figure> latency_1000() { return steady(1000, 5000); }

std::vector<Figure> notice() {
  auto ours = open_loop_elsewhere(50, 500);
  auto bare = read_at_once(500);
  const double worst = percentile(ours, 0.99);
  return {{.name = "commit of another process → handler, p99",
           .unit = "ms",
           .value = worst,
           .limit = percentile(bare, 0.99),
           .goal = "≤ 20 ms",
           .is_met = worst <= goal_notice_ms}};
}

}  // namespace makegood::bench
