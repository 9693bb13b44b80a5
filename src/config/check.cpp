#include "config/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "config/keys.hpp"
#include "config/options.hpp"
#include "config/value.hpp"

namespace makegood::config {
namespace {

/// How long a delivery to a destination that answers is tried, at most. backoff() is the core's; this is its sum.
Duration retry_horizon(const RetryPolicy& retry) {
  Duration sum = {};
  for (const Duration delay : retry.schedule) sum += delay;
  if (!retry.schedule.empty()) return sum;
  double delay = static_cast<double>(retry.base.count()) * (1 + retry.jitter);
  for (std::uint32_t attempt = 1; attempt < std::min(retry.attempts_max, std::uint32_t{10'000}); ++attempt) {
    sum += Duration(static_cast<Duration::rep>(std::min(delay, static_cast<double>(retry.cap.count()))));
    delay *= retry.factor;
  }
  return sum;
}

class Check {
 public:
  Check(const Config& config, Findings& findings) : config_(config), findings_(findings) {}

  void outboxes() {
    if (config_.store.outboxes.empty() && config_.outbox.is_enabled) {
      warn("store.outboxes", "is empty, so nothing is relayed", "name at least one outbox");
    }
    for (const std::string& outbox : config_.cleaner.outboxes) {
      if (std::ranges::count(config_.store.outboxes, outbox) > 0) continue;
      warn("cleaner.outboxes", fmt::format("has {}, which is not relayed here", outbox),
           "only the owner of a lane cleans it");
    }
    if (!config_.outbox.is_single_active) {
      warn("tx.outbox.single_active", "has no effect", "a lane always has one owner, so order is kept");
    }
  }

  void retries() {
    const RetryPolicy& retry = config_.outbox.destination.retry;
    if (retry.cap < retry.base && is_sound("tx.outbox.backoff.base_ms")) {
      refuse("tx.outbox.backoff.cap_ms", "is below tx.outbox.backoff.base_ms",
             fmt::format("allowed: {} or more",
                         std::chrono::duration_cast<std::chrono::milliseconds>(retry.base).count()));
    }
    if (!retry.schedule.empty() && config_.origins.contains("tx.outbox.max_attempts")) {
      warn("tx.outbox.max_attempts", "has no effect beside tx.outbox.schedule_ms",
           fmt::format("the schedule allows {} attempts", retry.schedule.size() + 1));
    }
    if (retry.schedule.empty() && retry.jitter == 0) {
      warn("tx.outbox.backoff.jitter", "lets everything that failed together come back together", "use 0.1 or more");
    }
  }

  void patience() {
    if (!config_.origins.contains("tx.outbox.disable_after_ms")) return;
    if (config_.origins.contains("tx.outbox.unreachable_for_ms")) {
      refuse("tx.outbox.disable_after_ms", "is set beside tx.outbox.unreachable_for_ms, which is the same",
             "keep the latter");
    } else {
      warn("tx.outbox.disable_after_ms", "is now called tx.outbox.unreachable_for_ms",
           "it counts since the last answer, not since the last success");
    }
  }

  void circuits() {
    const CircuitPolicy& circuit = config_.outbox.destination.circuit;
    if (circuit.wait_max < circuit.wait_min && is_sound("tx.outbox.circuit.wait_min_ms")) {
      refuse("tx.outbox.circuit.wait_max_ms", "is below tx.outbox.circuit.wait_min_ms",
             fmt::format("allowed: {} or more",
                         std::chrono::duration_cast<std::chrono::milliseconds>(circuit.wait_min).count()));
    }
    if (circuit.failures_max == 0) {
      warn("tx.outbox.circuit.failures_max", "sends all that waits into an outage again and again", "use 1 or more");
    }
  }

  void lane() {
    const LaneLimits& limits = config_.outbox.limits;
    if (config_.outbox.lease < std::chrono::seconds(3)) {
      warn("tx.outbox.lease_ms", "is so short that a busy machine may lose its lanes", "use 3000 or more");
    }
    if (config_.outbox.poll_interval > std::chrono::seconds(1)) {
      warn("tx.outbox.poll_ms", "is longer than the look that happens every second anyway", "use 1000 or less");
    }
    if (limits.window_rows_max < limits.batch_rows_max) {
      warn("tx.outbox.window", "is below tx.outbox.batch, so no batch is ever full", "use a multiple of the batch");
    }
    if (limits.window_bytes_max < limits.batch_bytes_max) {
      warn("tx.outbox.window_bytes_max", "is below tx.outbox.batch_bytes_max", "use a multiple of it");
    }
    if (limits.held_per_key_max > limits.parked_max) {
      warn("tx.outbox.held_per_key_max", "is above tx.outbox.parked_max, so one key can stop its whole destination",
           "use a small part of it");
    }
  }

  void cleaning() {
    if (config_.cleaner.retention < std::chrono::hours(1)) {
      warn("cleaner.retention", "is short: the same event_id is taken for a new message after it", "use 1h or more");
    }
    const Duration dead_retention = config_.cleaner.dead_retention;
    if (dead_retention > Duration{0} && dead_retention < std::chrono::hours(24)) {
      warn("cleaner.dead_retention", "removes dead letters before anybody has seen them", "use 24h or more, or 0");
    }
  }

  /// A key that is forgotten before the last retry of its request has a second effect.
  void idempotency() {
    const IdempotencyConfig& keys = config_.idempotency;
    if (keys.lease > keys.ttl) {
      refuse("tx.idempo.lease_ms", "is above tx.idempo.ttl_ms", "a lease is much shorter than the time of its key");
    }
    const Duration horizon = retry_horizon(config_.outbox.destination.retry);
    if (keys.ttl < horizon && config_.origins.contains("tx.idempo.ttl_ms")) {
      warn("tx.idempo.ttl_ms", "is shorter than the retries of a delivery last, so a late one would count again",
           fmt::format("use {}s or more", std::chrono::ceil<std::chrono::seconds>(horizon).count()));
    }
    if (keys.inbox_retention < horizon) {
      warn("tx.inbox.retention_ms", "is shorter than the retries of a delivery last, so late ones expire",
           fmt::format("use {}s or more", std::chrono::ceil<std::chrono::seconds>(horizon).count()));
    }
  }

  void http() {
    for (const std::string& network : config_.http.tenant_networks) {
      if (check_http_options({.tenant_networks = {network}})) continue;
      refuse_item("http.tenant_networks", network, "is not a network");
    }
    for (const std::string& server : config_.http.dns_servers) {
      if (check_http_options({.dns_servers = {server}})) continue;
      refuse_item("http.dns_servers", server, "is not an address");
    }
    const auto is_for_all = [](const std::string& beginning) { return !beginning.contains("{tenant}"); };
    if (std::ranges::any_of(config_.http.tenant_secrets, is_for_all)) {
      warn("http.tenant_secrets", "lets each tenant have the secrets of the others sent to itself",
           "put {tenant} into each of them");
    }
  }

  void enqueue() {
    if (config_.outbox.payload_bytes_max > config_.server.body_bytes_max) {
      warn("tx.outbox.payload_bytes_max", "is above server.body_bytes_max, so REST never takes one so large",
           "raise that, too");
    }
  }

  void schemas() {
    if (!is_sound("tx.outbox.schemas")) return;
    for (const SchemaFile& schema : config_.outbox.schemas) {
      PayloadSchemas ignored;
      const Result<> added = add_schema(ignored, schema);
      if (added) continue;
      findings_.mistakes.push_back({origin_of(config_, "tx.outbox.schemas"), "tx.outbox.schemas", schema.pattern,
                                    added.error().message, "name a JSON Schema"});
    }
  }

 private:
  bool is_sound(std::string_view key) const {
    return std::ranges::find(findings_.mistakes, key, &Mistake::key) == findings_.mistakes.end();
  }
  Mistake about(std::string_view key, std::string problem, std::string advice) const {
    return {origin_of(config_, key), std::string(key), shown(*find_key(key), config_), std::move(problem),
            std::move(advice)};
  }
  void refuse_item(std::string_view key, const std::string& item, std::string problem) {
    findings_.mistakes.push_back(
        {origin_of(config_, key), std::string(key), item, std::move(problem), "allowed: " + allowed(*find_key(key))});
  }
  void refuse(std::string_view key, std::string problem, std::string advice) {
    if (is_sound(key)) findings_.mistakes.push_back(about(key, std::move(problem), std::move(advice)));
  }
  void warn(std::string_view key, std::string problem, std::string advice) {
    if (is_sound(key)) findings_.warnings.push_back(about(key, std::move(problem), std::move(advice)));
  }

  const Config& config_;
  Findings& findings_;
};

}  // namespace

void check_together(const Config& config, Findings& findings) {
  Check check(config, findings);
  check.outboxes();
  check.retries();
  check.patience();
  check.circuits();
  check.lane();
  check.cleaning();
  check.idempotency();
  check.http();
  check.enqueue();
  check.schemas();
}

}  // namespace makegood::config
