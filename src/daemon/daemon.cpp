#include "daemon/daemon.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <limits>
#include <thread>

#include "config/mistake.hpp"
#include "config/options.hpp"
#include "config/reload.hpp"
#include "daemon/api_context.hpp"
#include "daemon/apply_at_start.hpp"
#include "daemon/descriptor_limit.hpp"
#include "daemon/door.hpp"
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
constexpr int server_errors = 500;
constexpr int status_unauthorized = 401;
constexpr int status_forbidden = 403;

double in_milliseconds(Duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

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

}  // namespace

Daemon::Daemon(DaemonOptions options)
    : options_(std::move(options)),
      key_figures_(tenants_named(options_.config.metrics.tenant_label)),
      api_context_(api_context()),
      destination_defaults_(config::destination_settings(options_.config)),
      config_(options_.config),
      has_access_log_(config_.server.has_access_log),
      telemetry_(config::telemetry_options(config_)),
      log_(log_options(config_)),
      readiness_(config_.store.outboxes) {}

/// What a destination begins with may change while it runs; the rest is that of the start.
api::ApiContext Daemon::api_context() {
  api::ApiContext api_context = api_context_of(
      options_.config,
      {.schemas = &options_.schemas, .jobs = &jobs_, .version = options_.version, .warn = warn_of_secrets()});
  api_context.destination_defaults = [this] { return destination_defaults(); };
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

std::function<void(std::string_view)> Daemon::warn_of_secrets() {
  return [this](std::string_view sentence) { log_.write(LogLevel::warning, "secret", {{"what", sentence}}); };
}

Destination Daemon::destination_defaults() {
  const std::scoped_lock lock(mutex_);
  return destination_defaults_;
}

void Daemon::set_destination_defaults(Destination defaults) {
  const std::scoped_lock lock(mutex_);
  destination_defaults_ = std::move(defaults);
}

Result<std::unique_ptr<Daemon>> Daemon::open(DaemonOptions options) {
  std::unique_ptr<Daemon> daemon(new Daemon(std::move(options)));
  MAKEGOOD_TRY(daemon->bind());
  return daemon;
}

Result<> Daemon::bind() {
  if (!config_.server.doorbell.empty()) doorbell_ = MAKEGOOD_TRY(DoorbellSocket::open(config_.server.doorbell));
  server_ = MAKEGOOD_TRY(server::Server::open(server_options(), api_context_, process()));
  open_door();
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

std::string Daemon::saga_figures() const { return sagas_ ? sagas_->metrics_text() : std::string(); }

std::string Daemon::callback_base_url() const {
  return config_.saga.public_url.empty() ? "http://" + server_->address() : config_.saga.public_url;
}

/// For the user whose process this is, and root. Without it others may still have tokens, so it is no reason to end.
void Daemon::open_door() {
  const auto address = server::parse_address(server_->address());
  const auto files = make_door(door_folders(config_.server.door_folder, options_.sources.environment), *address);
  const auto opened = files ? server_->open_socket(files->socket) : Result<>(files.error());
  if (!opened) log_.write(LogLevel::warning, "no socket", {{"because", opened.error().message}});
  if (opened) log_.write(LogLevel::info, "door", {{"socket", files->socket}});
  if (opened) way_in_ = "socket " + files->socket;
  if (!address->is_loopback) return;
  if (config_.server.is_open_on_loopback && options_.tokens.empty()) return tell_open_door();
  if (files) admit_token(files->token);
}

void Daemon::tell_open_door() {
  way_in_ = "everybody on this machine may do everything";
  log_.write(LogLevel::warning, "door", {{"what", way_in_ + ", because server.open_on_loopback is set"}});
}

void Daemon::admit_token(const std::string& file) {
  auto token = kept_token(file);
  if (!token) return log_.write(LogLevel::warning, "no token", {{"because", token.error().message}});
  server_->admit(*std::move(token));
  way_in_ = "token in " + file;
  log_.write(LogLevel::info, "door", {{"token_file", file}});
}

server::ServerOptions Daemon::server_options() const {
  const config::ServerConfig& wanted = config_.server;
  const std::size_t descriptors = raise_descriptor_limit(wanted.connections_max + descriptors_reserved);
  return {.listen = wanted.listen,
          .tokens = options_.tokens,
          .is_open_on_loopback = wanted.is_open_on_loopback,
          .workers = wanted.workers,
          .connections_max = std::min(wanted.connections_max, connections_within(descriptors, descriptors_reserved)),
          .header_bytes_max = wanted.header_bytes_max,
          .body_bytes_max = wanted.body_bytes_max,
          .header_timeout = wanted.header_timeout,
          .body_timeout = wanted.body_timeout,
          .idle_timeout = wanted.idle_timeout,
          .streams_max = wanted.streams_max,
          .metrics_path = config_.metrics.is_enabled ? config_.metrics.path : std::string()};
}

server::Process Daemon::process() {
  return {.metrics_text = [this] { return telemetry_.metrics_text() + key_figures_.text() + saga_figures(); },
          .not_ready = [this] { return readiness_.reasons(); },
          .enqueued = [this](std::string_view outbox) { relays_->wake(outbox); },
          .accessed = [this](const server::Access& access) { log_access(access); }};
}

/// Somebody tries a door: always worth a line.
void Daemon::log_refusal(const server::Access& access) {
  const auto left_out = refusal_lines_.take(system_clock().monotonic());
  if (!left_out) return;
  log_.write(LogLevel::warning, "call refused",
             {{"method", access.method},
              {"path", access.path},
              {"status", access.status},
              {"request_id", access.request_id},
              {"refused_before_without_a_line", static_cast<std::int64_t>(*left_out)}});
}

void Daemon::log_access(const server::Access& access) {
  if (access.status == status_unauthorized || access.status == status_forbidden) log_refusal(access);
  if (access.status < server_errors && !has_access_log_.load(std::memory_order_relaxed)) return;
  log_.write(access.status < server_errors ? LogLevel::info : LogLevel::warning, "call",
             {{"method", access.method},
              {"path", access.path},
              {"status", access.status},
              {"ms", in_milliseconds(access.duration)},
              {"request_id", access.request_id}});
}

void Daemon::apply_files(const std::stop_token& stop) {
  if (!options_.apply_files) return;
  const Result<> applied = apply_at_start(options_.apply_files, api_context_, log_, stop);
  if (!applied) return give_up(applied.error());
  if (!stop.stop_requested()) readiness_.awaits({});
}

void Daemon::give_up(const Error& error) {
  const std::scoped_lock lock(mutex_);
  if (!mistake_) mistake_ = Error{Errc::config_invalid, error.message, error.diagnostics};
}

std::optional<Error> Daemon::mistake() {
  const std::scoped_lock lock(mutex_);
  return mistake_;
}

Result<> Daemon::run(EndSignals& signals, config::Watch& watch) {
  if (!options_.store_warning.empty()) log_.write(LogLevel::warning, "store", {{"what", options_.store_warning}});
  for (const std::string& what : options_.secret_warnings) log_.write(LogLevel::warning, "secret", {{"what", what}});
  tell_attempts();
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
  notice_.ready("serving on " + server_->address());
  serve_until_signal(signals, watch);
  stop(signals);
  if (const auto why = mistake()) return *why;
  return {};
}

/// Other relays count every attempt; whoever brings their setting along has to know.
void Daemon::tell_attempts() {
  const config::Origin origin = config::origin_of(config_, "tx.outbox.max_attempts");
  if (origin.kind == config::Origin::Kind::built_in) return;
  const RetryPolicy retry = config::destination_settings(config_).retry;
  log_.write(LogLevel::info, "attempts",
             {{"max_attempts", retry.attempts_max},
              {"from", config::to_string(origin)},
              {"unreachable_for_ms", in_milliseconds(retry.unreachable_for)},
              {"what", "only answered attempts count; an endpoint that cannot be reached costs time instead"}});
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
  const Duration pause = std::min(tick, notice_.watchdog_time().value_or(tick * 4) / 4);
  while (true) {
    // What is awaited is told soon after it has come; what is not, within a second.
    const Duration wait = told_reasons_.empty() ? pause : std::min(pause, short_tick);
    const auto milliseconds = static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(wait).count());
    std::array<pollfd, 3> watched = {pollfd{signals.descriptor(), POLLIN, 0}, pollfd{watch.descriptor(), POLLIN, 0},
                                     pollfd{doorbell_.descriptor(), POLLIN, 0}};
    ::poll(watched.data(), watched.size(), milliseconds);
    if (signals.take() != 0 || mistake()) return;
    if (doorbell_.was_rung()) wake_all();
    if (watch.poll()) reload();
    tell_readiness();
    prove_life();
  }
}

void Daemon::wake_all() {
  relays_->wake_all();
  sagas_->wake();
}

/// Once per change.
void Daemon::tell_readiness() {
  std::vector<std::string> reasons = readiness_.reasons();
  if (reasons == told_reasons_) return;
  told_reasons_ = std::move(reasons);
  if (told_reasons_.empty()) {
    log_.write(LogLevel::info, "ready", {{"url", "http://" + server_->address()}});
    notice_.status("serving on " + server_->address());
    return;
  }
  const std::string all = fmt::format("{}", fmt::join(told_reasons_, " "));
  log_.write(LogLevel::warning, "not ready", {{"because", all}});
  notice_.status("not ready: " + all);
}

/// Only while the thread that reads and writes and every lane have been heard of: a process that hangs in one of them
/// is better started anew.
void Daemon::prove_life() {
  const auto time = notice_.watchdog_time();
  if (!time || server_->silence() > *time / 2 || readiness_.silence() > *time) return;
  notice_.alive();
}

void Daemon::reload() {
  config::Reload fresh = config::reload(options_.sources, config_);
  set_destination_defaults(config::destination_settings(fresh.config));
  for (const config::Told& told : config::describe(fresh)) {
    log_.write(told.level, "configuration", {{"what", told.line}});
  }
  config_ = std::move(fresh.config);
  has_access_log_ = config_.server.has_access_log;
  telemetry_.set_level(config_.log.level);
  log_.set_level(config_.log.level);
  relays_->reconfigure(config_);
}

/// Nothing new begins from now on, neither calls nor sends; both have the same time to end.
void Daemon::stop(EndSignals& signals) {
  log_.write(LogLevel::info, "stopping", {{"grace_ms", in_milliseconds(config_.server.shutdown_grace)}});
  notice_.stopping();
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
