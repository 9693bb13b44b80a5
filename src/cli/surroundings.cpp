#include "cli/surroundings.hpp"

#include "config/options.hpp"

namespace makegood::cli {

api::Surroundings surroundings_of(const config::Config& config, const Around& around) {
  return {.store_url = config.store.url,
          .outboxes = config.store.outboxes,
          .jobs = around.jobs,
          .answer_wait = around.answer_wait,
          .version = around.version,
          .enqueue_rules = config::enqueue_rules(config, around.schemas),
          .expire_after = config.outbox.expire_after,
          .http_options = config.http,
          .destination_defaults = [defaults = config::destination_settings(config)] { return defaults; }};
}

}  // namespace makegood::cli
