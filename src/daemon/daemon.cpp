#include "daemon/daemon.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <limits>
#include <thread>

#include "base/milliseconds.hpp"
#include "config/mistake.hpp"
#include "config/options.hpp"
#include "config/reload.hpp"
#include "daemon/api_context.hpp"
#include "daemon/apply_at_start.hpp"
#include "daemon/descriptor_limit.hpp"
#include "daemon/entrance.hpp"
#include "transports/table.hpp"

namespace makegood::daemon {
namespace {

constexpr Duration tick = std::chrono::seconds(1);
constexpr Duration short_tick = std::chrono::milliseconds(100);
/// Descriptors for everything but the callers: stores, deliveries, files.
constexpr std::size_t descriptors_reserved = 512;
/// A call that hangs must not keep a process from ending that was told to.
constexpr Duration patience = std::chrono::seconds(5);
/// A store that hangs must not keep anybody from asking what is wrong.
constexpr Duration opened_within = std::chrono::seconds(2);

std::size_t tenants_named(TenantLabel label) {
  constexpr std::size_t first_of_them = 50;
  if (label == TenantLabel::off) return 0;
  return label == TenantLabel::all ? std::numeric_limits<std::size_t>::max() : first_of_them;
}

observe::LogOptions log_options(const config::Config& config) {
  return {.format = config.log.format, .level = config.log.level, .mask_tenant = config.log.mask_tenant};
}

/// Null: nobody has asked for one.
Result<std::unique_ptr<TextCache>> cache_of(const config::SagaConfig& config) {
  if (config.cache_url.empty()) return std::unique_ptr<TextCache>();
  return open_text_cache(config.cache_url);
}

server::ServerOptions server_options(const config::Config& config, const std::vector<server::Token>& tokens) {
  const config::ServerConfig& wanted = config.server;
  const std::size_t descriptors = raise_descriptor_limit(wanted.connections_max + descriptors_reserved);
  return {.listen = wanted.listen,
          .tokens = tokens,
          .is_open_on_loopback = wanted.is_open_on_loopback,
          .workers = wanted.workers,
          .connections_max = std::min(wanted.connections_max, connections_within(descriptors, descriptors_reserved)),
          .header_bytes_max = wanted.header_bytes_max,
          .body_bytes_max = wanted.body_bytes_max,
          .header_timeout = wanted.header_timeout,
          .body_timeout = wanted.body_timeout,
          .idle_timeout = wanted.idle_timeout,
          .streams_max = wanted.streams_max,
          .metrics_path = config.metrics.is_enabled ? config.metrics.path : std::string()};
}

/// Other relays count every attempt; whoever brings their setting along has to know.
void tell_attempts(const config::Config& config, observe::Log& log) {
  const config::Origin origin = config::origin_of(config, "tx.outbox.max_attempts");
  if (origin.kind == config::Origin::Kind::built_in) return;
  const RetryPolicy retry = config::destination_settings(config).retry;
  log.write(LogLevel::info, "attempts",
            {{"max_attempts", retry.attempts_max},
             {"from", config::to_string(origin)},
             {"unreachable_for_ms", in_milliseconds(retry.unreachable_for)},
             {"what", "only answered attempts count; an endpoint that cannot be reached costs time instead"}});
}

}  // namespace

Daemon::Daemon(DaemonOptions options)
    : options_(std::move(options)),
      key_figures_(tenants_named(options_.config.metrics.tenant_label)),
      api_context_(api_context()),
      destination_defaults_(config::destination_settings(options_.config)),
      config_(options_.config),
      telemetry_(config::telemetry_options(config_)),
      log_(log_options(config_)),
      access_log_(log_, config_.server.has_access_log),
      readiness_(config_.store.outboxes),
      standing_(readiness_, log_) {}

/// What a destination begins with may change while it runs; the rest is that of the start.
api::ApiContext Daemon::api_context() {
  api::ApiContext api_context = api_context_of(
      options_.config,
      {.schemas = &options_.schemas,
       .jobs = &jobs_,
       .version = options_.version,
       .warn = [this](std::string_view what) { log_.write(LogLevel::warning, "secret", {{"what", what}}); }});
  api_context.destination_defaults = [this] { return destination_defaults_.get(); };
  api_context.alarms = [this] { return readiness_.alarms(); };
  api_context.makes_saga_tables = options_.migrates;
  api_context.sagas_changed = [this] {
    if (sagas_) sagas_->wake();
  };
  api_context.sources_changed = [this] {
    if (sources_) sources_->wake();
  };
  api_context.key_figures = &key_figures_;
  // All workers have the one that was read at the start.
  if (options_.seal) api_context.seal = [this] { return Result(options_.seal); };
  api_context.key_news = [this](const api::KeyNews& news) { tell(news); };
  return api_context;
}

void Daemon::tell(const api::KeyNews& news) {
  if (server_) server_->tell(news);
}

Result<std::unique_ptr<Daemon>> Daemon::open(DaemonOptions options) {
  std::unique_ptr<Daemon> daemon(new Daemon(std::move(options)));
  MAKEGOOD_TRY(daemon->bind());
  return daemon;
}

Result<> Daemon::bind() {
  if (!config_.server.doorbell.empty()) doorbell_ = MAKEGOOD_TRY(DoorbellSocket::open(config_.server.doorbell));
  server_ = MAKEGOOD_TRY(server::Server::open(server_options(config_, options_.tokens), api_context_, process()));
  way_in_ = open_entrance(*server_,
                          {.folder = config_.server.door_folder,
                           .is_open_on_loopback = config_.server.is_open_on_loopback,
                           .has_tokens = !options_.tokens.empty()},
                          options_.sources.environment, log_);
  sources_ = std::make_unique<Sources>(
      config_, Sources::Parts{.log = log_,
                              .transports = api_context_.transports,
                              .wake = [this](std::string_view outbox) { relays_->wake(outbox); }});
  observers_ = std::make_unique<Observers>(
      std::vector<Observer*>{&telemetry_.observer(), &readiness_, &owned_, &server_->observer(), sources_.get()});
  relays_ = std::make_unique<Relays>(
      config_, Relays::Parts{.observer = *observers_,
                             .readiness = readiness_,
                             .log = log_,
                             .transports = api_context_.transports,
                             .endpoints = endpoints_,
                             .migrates = options_.migrates,
                             .all_opened = [this](const std::stop_token& stop) { apply_files(stop); },
                             .give_up = [this](const Error& error) { give_up(error); }});
  sagas_ = std::make_unique<Sagas>(config_, callback_base_url(),
                                   Sagas::Parts{.observer = *observers_,
                                                .log = log_,
                                                .transports = api_context_.transports,
                                                .endpoints = endpoints_,
                                                .migrates = options_.migrates,
                                                .cache = MAKEGOOD_TRY(cache_of(config_.saga))});
  if (options_.apply_files) readiness_.awaits("The files of --apply are not applied yet.");
  purge_ = std::make_unique<KeyPurge>(
      config_,
      KeyPurge::Parts{.figures = key_figures_, .log = log_, .tell = [this](const api::KeyNews& news) { tell(news); }});
  sharing_ = std::make_unique<Sharing>(config_, Sharing::Parts{.relays = *relays_, .owned = owned_, .log = log_});
  return {};
}

std::string Daemon::callback_base_url() const {
  return config_.saga.public_url.empty() ? "http://" + server_->address() : config_.saga.public_url;
}

server::Process Daemon::process() {
  const auto of_sagas = [this] { return sagas_ ? sagas_->metrics_text() : std::string(); };
  return {.metrics_text = [this, of_sagas] { return telemetry_.metrics_text() + key_figures_.text() + of_sagas(); },
          .not_ready = [this] { return readiness_.reasons(); },
          .enqueued = [this](std::string_view outbox) { relays_->wake(outbox); },
          .accessed = [this](const server::Access& access) { access_log_.write(access); }};
}

void Daemon::apply_files(const std::stop_token& stop) {
  if (!options_.apply_files) return;
  const Result<> applied = apply_at_start(options_.apply_files, api_context_, log_, stop);
  if (!applied) return give_up(applied.error());
  if (!stop.stop_requested()) readiness_.awaits({});
}

void Daemon::give_up(const Error& error) {
  if (!mistake_.get()) mistake_.set(Error{Errc::config_invalid, error.message, error.diagnostics});
}

Result<> Daemon::run(EndSignals& signals, config::Watch& watch) {
  if (!options_.store_warning.empty()) log_.write(LogLevel::warning, "store", {{"what", options_.store_warning}});
  for (const std::string& what : options_.secret_warnings) log_.write(LogLevel::warning, "secret", {{"what", what}});
  tell_attempts(config_, log_);
  // Whoever calls meanwhile waits at the door: the first call must not find a store without its tables.
  relays_->start();
  relays_->await_first_opening(opened_within);
  static_cast<void>(sagas_->update_tables());  // What fails is tried again, and told, when they are opened.
  server_->start();
  sagas_->start();
  if (config_.outbox.is_enabled) sources_->start(*observers_);
  if (config_.outbox.is_enabled) sharing_->start();
  if (config_.idempotency.is_purged) purge_->start();
  say_hello();
  standing_.began(*server_);
  serve_until_signal(signals, watch);
  stop(signals);
  if (const auto why = mistake_.get()) return *why;
  return {};
}

/// On the usual output, for people and for whoever asked for port 0; the log goes to the error output.
void Daemon::say_hello() {
  const std::string configured = fmt::format("{} tokens", options_.tokens.size());
  const std::string who = options_.tokens.empty() ? way_in_ : configured + (way_in_.empty() ? "" : ", " + way_in_);
  fmt::print("makegood {} serves {} on http://{} ({})\n", options_.version, config::masked_url(config_.store.url),
             server_->address(), who);
  std::fflush(stdout);
}

void Daemon::serve_until_signal(EndSignals& signals, config::Watch& watch) {
  const Duration pause = std::min(tick, standing_.watchdog_time().value_or(tick * 4) / 4);
  while (true) {
    // What is awaited is told soon after it has come; what is not, within a second.
    const Duration wait = standing_.is_waiting() ? std::min(pause, short_tick) : pause;
    const auto milliseconds = static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(wait).count());
    std::array<pollfd, 3> watched = {pollfd{signals.descriptor(), POLLIN, 0}, pollfd{watch.descriptor(), POLLIN, 0},
                                     pollfd{doorbell_.descriptor(), POLLIN, 0}};
    ::poll(watched.data(), watched.size(), milliseconds);
    if (signals.take() != 0 || mistake_.get()) return;
    if (doorbell_.was_rung()) wake_all();
    if (watch.poll()) reload();
    standing_.tell(*server_);
  }
}

void Daemon::wake_all() {
  relays_->wake_all();
  sagas_->wake();
}

void Daemon::reload() {
  config::Reload fresh = config::reload(options_.sources, config_);
  destination_defaults_.set(config::destination_settings(fresh.config));
  for (const config::Told& told : config::describe(fresh)) {
    log_.write(told.level, "configuration", {{"what", told.line}});
  }
  config_ = std::move(fresh.config);
  access_log_.set(config_.server.has_access_log);
  telemetry_.set_level(config_.log.level);
  log_.set_level(config_.log.level);
  relays_->reconfigure(config_);
}

/// Nothing new begins from now on, neither calls nor sends; both have the same time to end.
void Daemon::stop(EndSignals& signals) {
  log_.write(LogLevel::info, "stopping", {{"grace_ms", in_milliseconds(config_.server.shutdown_grace)}});
  standing_.stopping();
  const std::jthread impatience([this, &signals](const std::stop_token& ended) {
    const MonotonicTime end = system_clock().monotonic() + config_.server.shutdown_grace + patience;
    while (!ended.stop_requested()) {
      pollfd watched{signals.descriptor(), POLLIN, 0};
      ::poll(&watched, 1, 50);
      if (signals.take() != 0 || system_clock().monotonic() > end) ::_exit(1);
    }
  });
  const Duration grace = config_.server.shutdown_grace;
  std::jthread sharing_stop([this] { sharing_->stop(); });
  purge_->stop();
  sources_->stop();
  std::jthread relays_stop([this, grace] { relays_->stop(grace); });
  std::jthread sagas_stop([this, grace] { sagas_->stop(grace); });
  server_->stop(grace);
  jobs_.stop();
  relays_stop.join();
  sagas_stop.join();
  sharing_stop.join();
  log_.write(LogLevel::info, "stopped");
}

}  // namespace makegood::daemon
