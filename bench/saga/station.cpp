#include "bench/saga/station.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "bench/http/relay.hpp"
#include "bench/process.hpp"
#include "makegood/id.hpp"
#include "makegood/spi/assert.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood::bench {
namespace {

constexpr auto patience = std::chrono::seconds(600);
constexpr std::size_t starts_per_transaction = 1000;

NewMessage a_start(const std::string& definition) {
  return {.topic = definition,
          .payload = R"({"order":"1234567","user":1001,"cents":4200,"currency":"EUR"})",
          .event_id = new_uuid7()};
}

bool is_end(SagaNews::Kind kind) {
  switch (kind) {
    case SagaNews::Kind::completed:
    case SagaNews::Kind::compensated:
    case SagaNews::Kind::failed:
    case SagaNews::Kind::cancelled:
      return true;
    case SagaNews::Kind::started:
    case SagaNews::Kind::step_ended:
    case SagaNews::Kind::compensating:
    case SagaNews::Kind::unverified:
    case SagaNews::Kind::replayed:
    case SagaNews::Kind::manual:
      return false;
  }
  return false;
}

}  // namespace

SagaDefinition chain_of(const std::string& name, std::size_t steps, const std::string& uri) {
  SagaDefinition definition{.name = name};
  for (std::size_t i = 0; i < steps; ++i) {
    definition.steps.push_back({.name = fmt::format("step{}", i + 1),
                                .group = i,
                                .action = {.uri = uri},
                                .compensation = SagaCall{.uri = uri},
                                .participant = SagaPromise::keyed});
  }
  return definition;
}

void orchestrate_until_killed(const std::string& store_url) {
  SagaStation station(store_url);
  station.start();
  while (true) pause();
}

void SagaEnds::begun(const std::string& id, MonotonicTime at) {
  const std::scoped_lock lock(mutex_);
  begun_.emplace(id, at);
}

void SagaEnds::sagas(std::string_view, std::span<const SagaNews> news) {
  const MonotonicTime now = system_clock().monotonic();
  const std::scoped_lock lock(mutex_);
  for (const SagaNews& each : news) {
    ++counts_[static_cast<std::size_t>(each.kind)];
    if (!is_end(each.kind)) continue;
    const auto found = begun_.find(each.id);
    if (found == begun_.end()) continue;
    waits_.push_back(std::chrono::duration<double, std::milli>(now - found->second).count());
    begun_.erase(found);
    ++untold_;
  }
  has_ended_.notify_all();
}

void SagaEnds::alarm(std::string_view, const Error& error) { fmt::print(stderr, "alarm: {}\n", error.message); }

std::size_t SagaEnds::wait_for_some() {
  std::unique_lock lock(mutex_);
  MAKEGOOD_ASSERT(has_ended_.wait_for(lock, patience, [this] { return untold_ > 0; }));
  return std::exchange(untold_, 0);
}

void SagaEnds::wait_for_all() {
  std::unique_lock lock(mutex_);
  MAKEGOOD_ASSERT(has_ended_.wait_for(lock, patience, [this] { return begun_.empty(); }));
  untold_ = 0;
}

std::vector<double> SagaEnds::take_waits() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(waits_, {});
}

SagaStation::SagaStation(std::string store_url, const std::string& endpoint) : store_url_(std::move(store_url)) {
  MAKEGOOD_ASSERT(open_saga_store(store_url_).has_value());  // Makes the tables.
  view_ = open_saga_view(store_url_).value();
  add("nothing", [](const SagaStepInput&) { return SagaStepResult::ok(); });
  if (endpoint.empty()) return;
  http_ = new_http_transport({.threads = threads_of_serve}).value();
  destinations_.push_back(http_destination(saga_endpoint + std::string("http:").size(), {.url = endpoint}).value());
}

void SagaStation::add(const std::string& name, SagaParticipant participant) {
  add_participant(handlers_, name, std::move(participant));
}

void SagaStation::define(const SagaDefinition& definition) { put_definition(*view_, definition).value(); }

void SagaStation::start() {
  std::vector<Transport*> transports = {&handlers_.transport()};
  if (http_) transports.push_back(http_.get());
  std::vector<Destination> all = handlers_.destinations();
  all.insert(all.end(), destinations_.begin(), destinations_.end());
  orchestrator_.emplace(
      open_saga_store(store_url_).value(), std::move(transports), SagaOptions{},
      [all]() -> Result<std::vector<Destination>> { return all; }, &ends_);
  orchestrator_->start();
}

void SagaStation::stop() {
  if (orchestrator_) orchestrator_->stop();
  orchestrator_.reset();
}

SagaPace SagaStation::keep_in_flight(const std::string& definition, std::size_t in_flight, std::size_t count) {
  const auto began = system_clock().monotonic();
  std::size_t left = count;
  std::size_t free = in_flight;
  while (left > 0) {
    std::vector<NewMessage> starts;
    for (std::size_t i = 0; i < std::min(free, left); ++i) starts.push_back(a_start(definition));
    left -= starts.size();
    const auto now = system_clock().monotonic();
    for (const NewMessage& start : starts) ends_.begun(start.event_id, now);
    MAKEGOOD_ASSERT(view_->append(starts).has_value());
    orchestrator_->wake();
    if (left > 0) free = ends_.wait_for_some();
  }
  ends_.wait_for_all();
  return {.per_second = static_cast<double>(count) / seconds_since(began), .waits = ends_.take_waits()};
}

std::vector<double> SagaStation::begin_at(int per_second, const std::string& definition, std::size_t count) {
  const auto began = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    std::this_thread::sleep_until(began + i * std::chrono::microseconds(1'000'000 / per_second));
    const NewMessage start = a_start(definition);
    if (orchestrator_) ends_.begun(start.event_id, system_clock().monotonic());
    MAKEGOOD_ASSERT(view_->append({&start, 1}).has_value());
    if (orchestrator_) orchestrator_->wake();
  }
  if (orchestrator_) ends_.wait_for_all();
  return ends_.take_waits();
}

void SagaStation::append(const std::string& definition, std::size_t count) {
  for (std::size_t left = count; left > 0;) {
    std::vector<NewMessage> starts;
    for (std::size_t i = 0; i < std::min(starts_per_transaction, left); ++i) starts.push_back(a_start(definition));
    left -= starts.size();
    MAKEGOOD_ASSERT(view_->append(starts).has_value());
    if (orchestrator_) orchestrator_->wake();
  }
}

}  // namespace makegood::bench
