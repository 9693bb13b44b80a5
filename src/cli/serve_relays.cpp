#include "cli/serve_relays.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "config/options.hpp"
#include "makegood/http.hpp"
#include "makegood/registry.hpp"

namespace makegood::cli {
namespace {

/// One is the limit of a fast endpoint: two carry half as much again to it.
constexpr std::size_t http_threads = 2;

constexpr Duration first_wait = std::chrono::milliseconds(100);
constexpr Duration longest_wait = std::chrono::seconds(2);

}  // namespace

void Relays::start() {
  opener_ = std::jthread([this](const std::stop_token& stop) { open_all(stop); });
}

void Relays::open_all(const std::stop_token& stop) {
  for (Duration wait = first_wait; !open_missing(); wait = std::min(wait * 2, longest_wait)) {
    std::unique_lock lock(mutex_);
    stopped_.wait_for(lock, stop, wait, [] { return false; });
    if (stop.stop_requested()) return;
  }
  if (parts_.all_opened) parts_.all_opened(stop);
}

/// True when none is missing any more.
bool Relays::open_missing() {
  bool is_complete = true;
  for (const std::string& outbox : store_.outboxes) {
    {
      const std::scoped_lock lock(mutex_);
      if (relays_.contains(outbox)) continue;
    }
    const Result<> opened = open(outbox);
    if (opened) {
      parts_.readiness.opened(outbox);
      continue;
    }
    is_complete = false;
    parts_.readiness.away(outbox, opened.error());
    if (std::exchange(told_[outbox], opened.error().message) == opened.error().message) continue;
    parts_.log.write(LogLevel::error, "store away, tried again",
                     {{"table", outbox}, {"code", to_string(opened.error().code)}, {"error", opened.error().message}});
  }
  return is_complete;
}

Result<> Relays::open(const std::string& outbox) {
  auto store = MAKEGOOD_TRY(open_store(store_.url, outbox, parts_.migrates));
  auto transport = MAKEGOOD_TRY(new_http_transport({.threads = http_threads}));
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<Relay>& relay = relays_[outbox];
  if (!is_relaying_) return {};
  Transport* const sender = transport.get();
  relay = std::make_unique<Relay>(std::move(transport),
                                  Dispatcher(std::move(store), {sender}, options_for(outbox), &parts_.observer));
  relay->dispatcher.start();
  return {};
}

DispatcherOptions Relays::options_for(const std::string& outbox) const {
  DispatcherOptions options = config::dispatcher_options(config_, outbox);
  options.is_registry_in_store = true;
  return options;
}

void Relays::wake(std::string_view outbox) {
  const std::scoped_lock lock(mutex_);
  const auto found = relays_.find(outbox);
  if (found != relays_.end() && found->second) found->second->dispatcher.wake();
}

void Relays::reconfigure(const config::Config& config) {
  const std::scoped_lock lock(mutex_);
  config_ = config;
  for (const auto& [outbox, relay] : relays_) {
    if (relay) relay->dispatcher.reconfigure(options_for(outbox));
  }
}

void Relays::stop(Duration grace) {
  opener_.request_stop();
  if (opener_.joinable()) opener_.join();
  const std::scoped_lock lock(mutex_);
  std::vector<std::jthread> stopping;
  for (const auto& [outbox, relay] : relays_) {
    if (relay) stopping.emplace_back([&dispatcher = relay->dispatcher, grace] { dispatcher.stop(grace); });
  }
}

}  // namespace makegood::cli
