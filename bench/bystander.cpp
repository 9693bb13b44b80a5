#include "bench/bystander.hpp"

#include <fmt/format.h>

#include <chrono>

#include "bench/process.hpp"

namespace makegood::bench {
namespace {

constexpr std::size_t row_count = 1'000'000;
constexpr std::size_t stride = 7919;  ///< So that the next row is on another page.
constexpr auto pause = std::chrono::milliseconds(20);

}  // namespace

Bystander::Bystander(const Scratch& scratch) : session_(scratch.url()) {
  session_.run("CREATE TABLE shop_stock (id bigint PRIMARY KEY, pieces bigint)");
  session_.run(fmt::format("INSERT INTO shop_stock SELECT i, 0 FROM generate_series(0, {}) AS i", row_count - 1));
  session_.run("VACUUM ANALYZE shop_stock");
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Bystander::run(const std::stop_token& stop) {
  auto next = std::chrono::steady_clock::now();
  for (std::size_t row = 0; !stop.stop_requested(); row = (row + stride) % row_count) {
    const auto began = system_clock().monotonic();
    session_.run(fmt::format("UPDATE shop_stock SET pieces = pieces + 1 WHERE id = {}", row));
    waits_.push_back(seconds_since(began) * 1000);
    std::this_thread::sleep_until(next += pause);
  }
}

std::vector<double> Bystander::waits() {
  thread_.request_stop();
  thread_.join();
  return waits_;
}

}  // namespace makegood::bench
