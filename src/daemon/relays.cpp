#include "daemon/relays.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "config/options.hpp"
#include "daemon/patient_store.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood::daemon {
namespace {

constexpr Duration first_wait = std::chrono::milliseconds(100);
constexpr Duration longest_wait = std::chrono::seconds(2);

/// What was written wrongly stays wrong; whatever else keeps a store from being opened may pass.
bool is_mistake(const Error& error) { return error.code == Errc::invalid || error.code == Errc::config_invalid; }

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
    if (!is_open(outbox) && !try_open(outbox)) is_complete = false;
  }
  const std::scoped_lock lock(mutex_);
  has_tried_ = true;
  tried_.notify_all();
  return is_complete;
}

void Relays::await_first_opening(Duration at_most) {
  std::unique_lock lock(mutex_);
  tried_.wait_for(lock, at_most, [this] { return has_tried_; });
}

bool Relays::try_open(const std::string& outbox) {
  const Result<> opened = open(outbox);
  if (opened) {
    parts_.readiness.opened(outbox);
    return true;
  }
  const Error& error = opened.error();
  parts_.readiness.away(outbox, error);
  if (is_mistake(error) && parts_.give_up) parts_.give_up(error);
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(told_[outbox], error.message) == error.message) return false;
  }
  parts_.log.write(LogLevel::error, "store away, tried again",
                   {{"table", outbox},
                    {"code", to_string(error.code)},
                    {"error", error.message},
                    {"diagnostics", error.diagnostics}});
  return false;
}

Result<> Relays::open(const std::string& outbox) {
  auto store = MAKEGOOD_TRY(open_store(store_.url, outbox, parts_.migrates, store_.environment));
  auto transports = MAKEGOOD_TRY(parts_.transports->for_lane());
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<Relay>& relay = relays_[outbox];
  if (!is_relaying_ || is_stopping_) return {};
  store = std::make_unique<PatientStore>(std::move(store), patience_);
  Dispatcher dispatcher(std::move(store), transports.all, options_for(outbox), &parts_.observer, system_clock(),
                        &parts_.endpoints);
  relay = std::make_unique<Relay>(std::move(transports), std::move(dispatcher));
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

void Relays::wake_all() {
  const std::scoped_lock lock(mutex_);
  for (const auto& [outbox, relay] : relays_) {
    if (relay) relay->dispatcher.wake();
  }
}

void Relays::reconfigure(const config::Config& config) {
  const std::scoped_lock lock(mutex_);
  config_ = config;
  for (const auto& [outbox, relay] : relays_) {
    if (relay) relay->dispatcher.reconfigure(options_for(outbox));
  }
}

bool Relays::is_open(std::string_view outbox) {
  const std::scoped_lock lock(mutex_);
  return relays_.contains(outbox);
}

void Relays::close(std::string_view outbox, Duration grace) {
  std::unique_ptr<Relay> relay;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = relays_.find(outbox);
    if (found == relays_.end() || !found->second) return;
    relay = std::move(found->second);
  }
  relay->dispatcher.stop(grace);
  parts_.observer.figures(outbox, {});  // Also when the store went away before the lane could be given up.
  parts_.readiness.rests(outbox);
}

bool Relays::reopen(const std::string& outbox) { return try_open(outbox); }

void Relays::stop(Duration grace) {
  opener_.request_stop();
  if (opener_.joinable()) opener_.join();
  const std::scoped_lock lock(mutex_);
  is_stopping_ = true;
  std::vector<std::jthread> stopping;
  for (const auto& [outbox, relay] : relays_) {
    if (relay) stopping.emplace_back([&dispatcher = relay->dispatcher, grace] { dispatcher.stop(grace); });
  }
}

}  // namespace makegood::daemon
