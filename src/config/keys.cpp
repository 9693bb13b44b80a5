#include "config/keys.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace makegood::config {
namespace {

constexpr double kib = 1024, mib = 1024 * kib;
constexpr double seconds = 1000, minutes = 60 * seconds, hours = 60 * minutes, days = 24 * hours;

constexpr std::array table = {
    Key{.name = "store.url",
        .slot = [](Config& c) -> Slot { return &c.store.url; },
        .is_secret = true,
        .description = "The store: `sqlite:PATH` or `memory:`."},
    Key{.name = "store.outboxes",
        .slot = [](Config& c) -> Slot { return &c.store.outboxes; },
        .alias = "OUTBOX_RELAY_TABLES",
        .description = "The outboxes that this process relays, by table name."},

    Key{.name = "tx.outbox.enabled",
        .slot = [](Config& c) -> Slot { return &c.outbox.is_enabled; },
        .alias = "OUTBOX_RELAY_ENABLED",
        .description = "Relay at all. Off, messages are kept and sent later."},
    Key{.name = "tx.outbox.single_active",
        .slot = [](Config& c) -> Slot { return &c.outbox.is_single_active; },
        .alias = "OUTBOX_RELAY_SINGLE_ACTIVE",
        .description = "Accepted for its old name: a lane always has one owner."},
    Key{.name = "tx.outbox.lease_ms",
        .slot = [](Config& c) -> Slot { return &c.outbox.lease; },
        .unit = Unit::milliseconds,
        .range = {1 * seconds, 5 * minutes},
        .alias = "OUTBOX_RELAY_LOCK_TTL",
        .description = "How long a lane stays with an owner that has gone silent."},
    Key{.name = "tx.outbox.poll_ms",
        .slot = [](Config& c) -> Slot { return &c.outbox.poll_interval; },
        .unit = Unit::milliseconds,
        .range = {1, 1 * minutes},
        .alias = "OUTBOX_RELAY_POLL_INTERVAL",
        .is_reloadable = true,
        .description = "How often commits of other processes are looked for."},
    Key{.name = "tx.outbox.batch",
        .slot = [](Config& c) -> Slot { return &c.outbox.limits.batch_rows_max; },
        .range = {1, 10000},
        .alias = "OUTBOX_RELAY_BATCH_SIZE",
        .is_reloadable = true,
        .description = "Messages read in one turn."},
    Key{.name = "tx.outbox.batch_bytes_max",
        .slot = [](Config& c) -> Slot { return &c.outbox.limits.batch_bytes_max; },
        .unit = Unit::bytes,
        .range = {64 * kib, 256 * mib},
        .is_reloadable = true,
        .description = "Bytes read in one turn; one message is always read."},
    Key{.name = "tx.outbox.window",
        .slot = [](Config& c) -> Slot { return &c.outbox.limits.window_rows_max; },
        .range = {1, 100000},
        .is_reloadable = true,
        .description = "Deliveries read and not ended."},
    Key{.name = "tx.outbox.window_bytes_max",
        .slot = [](Config& c) -> Slot { return &c.outbox.limits.window_bytes_max; },
        .unit = Unit::bytes,
        .range = {64 * kib, 1024 * mib},
        .is_reloadable = true,
        .description = "Bytes read and not ended."},
    Key{.name = "tx.outbox.in_flight_max",
        .slot = [](Config& c) -> Slot { return &c.outbox.destination.in_flight_max; },
        .range = {1, 100000},
        .is_reloadable = true,
        .description = "Sends under way to one destination."},
    Key{.name = "tx.outbox.rate_max",
        .slot = [](Config& c) -> Slot { return &c.outbox.destination.rate_max; },
        .range = {0, 1e6},
        .is_reloadable = true,
        .description = "Sends per second to one destination; 0 = no limit."},
    Key{.name = "tx.outbox.dispatch_timeout_ms",
        .slot = [](Config& c) -> Slot { return &c.outbox.destination.timeout; },
        .unit = Unit::milliseconds,
        .range = {1, 1 * hours},
        .alias = "OUTBOX_RELAY_DISPATCH_TIMEOUT",
        .is_reloadable = true,
        .description = "How long one send may take."},
    Key{.name = "tx.outbox.ordering",
        .slot = [](Config& c) -> Slot { return &c.outbox.destination.ordering; },
        .is_reloadable = true,
        .description = "What a failed message means for those of its key behind it."},
    Key{.name = "tx.outbox.max_attempts",
        .slot = [](Config& c) -> Slot { return &c.outbox.destination.retry.attempts_max; },
        .range = {1, 1000},
        .alias = "OUTBOX_RELAY_MAX_ATTEMPTS",
        .is_reloadable = true,
        .description = "Attempts before a delivery is a dead letter."},
    Key{.name = "tx.outbox.backoff.base_ms",
        .slot = [](Config& c) -> Slot { return &c.outbox.destination.retry.base; },
        .unit = Unit::milliseconds,
        .range = {1, 1 * hours},
        .is_reloadable = true,
        .description = "The first delay, and the shortest."},
    Key{.name = "tx.outbox.backoff.factor",
        .slot = [](Config& c) -> Slot { return &c.outbox.destination.retry.factor; },
        .range = {1, 10},
        .is_reloadable = true,
        .description = "By how much each delay is longer than the one before."},
    Key{.name = "tx.outbox.backoff.jitter",
        .slot = [](Config& c) -> Slot { return &c.outbox.destination.retry.jitter; },
        .range = {0, 1},
        .is_reloadable = true,
        .description = "By which part a delay is spread, up and down."},
    Key{.name = "tx.outbox.backoff.cap_ms",
        .slot = [](Config& c) -> Slot { return &c.outbox.destination.retry.cap; },
        .unit = Unit::milliseconds,
        .range = {1, 1 * days},
        .is_reloadable = true,
        .description = "The longest delay; not below base_ms."},
    Key{.name = "tx.outbox.schedule_ms",
        .slot = [](Config& c) -> Slot { return &c.outbox.destination.retry.schedule; },
        .unit = Unit::milliseconds,
        .range = {0, 7 * days},
        .is_reloadable = true,
        .description = "A list of delays, used instead of backoff; one attempt more than delays."},
    Key{.name = "tx.outbox.last_error_bytes_max",
        .slot = [](Config& c) -> Slot { return &c.outbox.last_error_bytes_max; },
        .range = {2048, 2048},
        .alias = "OUTBOX_LAST_ERROR_MAX_BYTES",
        .description = "Where a stored error text is cut. Fixed."},
    Key{.name = "tx.outbox.payload_bytes_max",
        .slot = [](Config& c) -> Slot { return &c.outbox.payload_bytes_max; },
        .unit = Unit::bytes,
        .range = {1, 64 * mib},
        .description = "The largest payload or body that enqueue accepts."},
    Key{.name = "tx.outbox.topic_grammar",
        .slot = [](Config& c) -> Slot { return &c.outbox.topic_grammar; },
        .description = "`versioned` accepts only topics of the form `module.aggregate.event.vN`."},
    Key{.name = "tx.outbox.schemas",
        .slot = [](Config& c) -> Slot { return &c.outbox.schemas; },
        .description = "Topic patterns and the files of the JSON Schemas that their payloads follow."},

    Key{.name = "cleaner.enabled",
        .slot = [](Config& c) -> Slot { return &c.cleaner.is_enabled; },
        .alias = "OUTBOX_CLEANER_ENABLED",
        .is_reloadable = true,
        .description = "Remove delivered messages."},
    Key{.name = "cleaner.outboxes",
        .slot = [](Config& c) -> Slot { return &c.cleaner.outboxes; },
        .alias = "OUTBOX_CLEANER_TABLES",
        .is_reloadable = true,
        .description = "The outboxes that are cleaned; empty = all that are relayed."},
    Key{.name = "cleaner.interval",
        .slot = [](Config& c) -> Slot { return &c.cleaner.interval; },
        .unit = Unit::duration,
        .range = {1 * seconds, 1 * days},
        .alias = "OUTBOX_CLEANER_INTERVAL",
        .is_reloadable = true,
        .description = "How often the cleaner looks."},
    Key{.name = "cleaner.retention",
        .slot = [](Config& c) -> Slot { return &c.cleaner.retention; },
        .unit = Unit::duration,
        .range = {0, 3650 * days},
        .alias = "OUTBOX_CLEANER_RETENTION",
        .is_reloadable = true,
        .description = "How long delivered messages are kept; so long their event_id is known."},
    Key{.name = "cleaner.dead_retention",
        .slot = [](Config& c) -> Slot { return &c.cleaner.dead_retention; },
        .unit = Unit::duration,
        .range = {0, 3650 * days},
        .alias = "OUTBOX_CLEANER_DEAD_RETENTION",
        .is_reloadable = true,
        .description = "How long dead letters are kept; 0 = for ever."},

    Key{.name = "log.format",
        .slot = [](Config& c) -> Slot { return &c.log.format; },
        .description = "`text` for people, `json` for machines."},
    Key{.name = "log.level",
        .slot = [](Config& c) -> Slot { return &c.log.level; },
        .is_reloadable = true,
        .description = "What is less important than this is not logged."},
    Key{.name = "log.mask_tenant",
        .slot = [](Config& c) -> Slot { return &c.log.mask_tenant; },
        .description = "Log a stand-in for the tenant."},
    Key{.name = "metrics.compat",
        .slot = [](Config& c) -> Slot { return &c.metrics.compat; },
        .description = "Publish the older metric names too."},
    Key{.name = "metrics.tenant_label",
        .slot = [](Config& c) -> Slot { return &c.metrics.tenant_label; },
        .description = "Which tenants are a label of metrics. Only `off` works in this version."},
};

}  // namespace

std::span<const Key> keys() { return table; }

const Key* find_key(std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &Key::name);
  return found == table.end() ? nullptr : &*found;
}

bool is_section(std::string_view name) {
  return std::ranges::any_of(table, [name](const Key& key) {
    return key.name.size() > name.size() && key.name.starts_with(name) && key.name[name.size()] == '.';
  });
}

std::string variable_of(const Key& key) {
  std::string name = "MAKEGOOD_";
  for (const char letter : key.name) {
    name += letter == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return name;
}

}  // namespace makegood::config
