#include "daemon/sagas.hpp"

#include <utility>

#include "makegood/spi/registry.hpp"

namespace makegood::daemon {
namespace {

/// Another node may have made the tables.
constexpr Duration looks_every = std::chrono::seconds(5);

SagaStoreOptions store_options(const config::Config& config) {
  return {.outbox = config.store.outboxes.front(), .environment = config.store.environment};
}

}  // namespace

Sagas::Sagas(const config::Config& config, std::string callback_base_url, Parts parts)
    : config_(config), callback_base_url_(std::move(callback_base_url)), parts_(std::move(parts)) {
  if (!parts_.cache) return;
  cache_ = std::make_unique<SagaCache>(SagaCache::Parts{.store_url = config_.store.url,
                                                        .store_options = store_options(config_),
                                                        .log = parts_.log,
                                                        .cache = std::move(parts_.cache)});
}

Result<> Sagas::update_tables() const {
  const SagaStoreOptions options = store_options(config_);
  if (!parts_.migrates) return {};
  const auto state = saga_tables_state(config_.store.url, options.log);
  if (!state || *state == SagaTablesState::missing) return {};
  MAKEGOOD_TRY(open_saga_store(config_.store.url, options, true));
  return {};
}

void Sagas::start() {
  if (!config_.saga.is_enabled) return;
  opener_ = std::jthread([this](const std::stop_token& stop) { open_until(stop); });
}

void Sagas::open_until(const std::stop_token& stop) {
  while (!stop.stop_requested() && !try_open()) {
    std::unique_lock lock(mutex_);
    woken_.wait_for(lock, stop, looks_every, [this] { return std::exchange(is_woken_, false); });
  }
}

bool Sagas::try_open() {
  const Result<> opened = open();
  if (opened) return true;
  const Error& error = opened.error();
  if (error.code == Errc::not_found || are_tables_missing(error)) return false;  // There are no tables yet.
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(told_, error.message) == error.message) return false;
  }
  const bool is_schema = error.code == Errc::schema_mismatch;
  parts_.log.write(LogLevel::error, is_schema ? "sagas are not carried out" : "store of sagas away, tried again",
                   {{"code", to_string(error.code)}, {"error", error.message}, {"diagnostics", error.diagnostics}});
  return false;
}

/// Tables of another version are there: executions stand still until somebody migrates, and that must be said.
bool Sagas::are_tables_missing(const Error& error) const {
  if (error.code != Errc::schema_mismatch) return false;
  const auto state = saga_tables_state(config_.store.url, store_options(config_).log);
  return state && *state == SagaTablesState::missing;
}

Result<> Sagas::open() {
  // Its tables are there, or nobody has asked for sagas.
  MAKEGOOD_TRY(update_tables());
  const auto view = MAKEGOOD_TRY(open_saga_view(config_.store.url, store_options(config_)));
  auto store = MAKEGOOD_TRY(open_saga_store(config_.store.url, store_options(config_), false));
  for (const SagaDefinitionRow& row : MAKEGOOD_TRY(view->definitions())) {
    parts_.observer.saga_defined(store_options(config_).log, row.name);
  }
  if (cache_) store = cached_saga_store(std::move(store), *cache_);
  auto transports = MAKEGOOD_TRY(parts_.transports->for_lane());
  SagaOptions options{.lease = config_.saga.lease,
                      .executions_max = config_.saga.executions_max,
                      .callback_base_url = callback_base_url_,
                      .callback_key = MAKEGOOD_TRY(view->callback_key()),
                      .retention = config_.saga.retention};
  const std::scoped_lock lock(mutex_);
  if (is_stopping_) return {};
  SagaOrchestrator orchestrator(std::move(store), transports.all, std::move(options), participant_source(),
                                &parts_.observer, system_clock(), &parts_.endpoints);
  running_ = std::make_unique<Running>(std::move(transports), std::move(orchestrator));
  running_->orchestrator.start();
  return {};
}

/// Steps name the destinations of the outbox.
SagaOrchestrator::ParticipantSource Sagas::participant_source() {
  auto view = std::make_shared<std::unique_ptr<OutboxView>>();
  return [this, view]() -> Result<std::vector<Destination>> {
    if (!*view) *view = MAKEGOOD_TRY(open_outbox_view(config_.store.url, config_.store.outboxes.front()));
    auto lane = (*view)->lane();
    if (!lane) {
      view->reset();
      return lane.error();
    }
    return lane->routings.empty() ? std::vector<Destination>() : std::move(lane->routings.back().destinations);
  };
}

void Sagas::wake() {
  const std::scoped_lock lock(mutex_);
  is_woken_ = true;
  woken_.notify_all();
  if (running_) running_->orchestrator.wake();
}

void Sagas::stop(Duration grace) {
  opener_.request_stop();
  if (opener_.joinable()) opener_.join();
  std::unique_ptr<Running> running;
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
    running = std::move(running_);
  }
  if (running) running->orchestrator.stop(grace);
  if (cache_) cache_->stop();
}

}  // namespace makegood::daemon
