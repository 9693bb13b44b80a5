#include "daemon/api_context.hpp"

#include "config/options.hpp"
#include "transports/table.hpp"

namespace makegood::daemon {

namespace {

std::shared_ptr<Transports> transports_of(const config::Config& config, const Around& around) {
  TransportOptions options{.http = config.http, .brokers = config.brokers};
  options.http.warn = around.warn;
  options.brokers.network = options.http;
  return new_transports(options);
}

/// Read when keys are needed: other calls do without it.
std::function<Result<std::shared_ptr<const Seal>>()> seal_in(const std::string& file) {
  if (file.empty()) return {};
  return [file] { return read_seal(file); };
}

}  // namespace

api::ApiContext api_context_of(const config::Config& config, const Around& around) {
  return {.store_url = config.store.url,
          .outboxes = config.store.outboxes,
          .transports = transports_of(config, around),
          .jobs = around.jobs,
          .answer_wait = around.answer_wait,
          .version = around.version,
          .enqueue_rules = config::enqueue_rules(config, around.schemas),
          .expire_after = config.outbox.expire_after,
          .destination_defaults = [defaults = config::destination_settings(config)] { return defaults; },
          .usual_claim = {.ttl = config.idempotency.ttl, .lease = config.idempotency.lease},
          .result_limits = config.idempotency.limits,
          .seal = seal_in(config.idempotency.seal_file)};
}

}  // namespace makegood::daemon
