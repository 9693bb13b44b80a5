#include "daemon/key_purge.hpp"

namespace makegood::daemon {
namespace {

/// So that a key that was just looked at is not gone a moment later.
constexpr Duration grace = std::chrono::minutes(1);
constexpr std::size_t step_rows_max = 1000;
/// In one round; the rest waits for the next, so that the business is not held up.
constexpr int steps_max = 100;
/// Of which is told that they are in doubt; more than so many are one trouble.
constexpr std::size_t doubts_max = 1000;

std::string schema_of(const config::StoreConfig& store) {
  if (store.outboxes.empty()) return {};
  const std::size_t dot = store.outboxes.front().find('.');
  return dot == std::string::npos ? std::string() : store.outboxes.front().substr(0, dot);
}

}  // namespace

KeyPurge::KeyPurge(const config::Config& config, Parts parts)
    : url_(config.store.url), schema_(schema_of(config.store)), config_(config.idempotency), parts_(parts) {}

void KeyPurge::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void KeyPurge::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void KeyPurge::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (const auto purged = purge_once(stop); !purged) {
      tell(purged.error());
      store_.reset();
    }
    has_ended_.wait_for(lock, stop, config_.purge_interval, [] { return false; });
  }
}

Result<bool> KeyPurge::open() {
  if (store_ != nullptr) return true;
  auto opened = open_idempotency_store(url_, schema_, false);
  if (!opened) return opened.error().code == Errc::invalid ? Result<bool>(false) : opened.error();
  store_ = *std::move(opened);
  return true;
}

Result<> KeyPurge::purge_once(const std::stop_token& stop) {
  if (!MAKEGOOD_TRY(open())) return {};
  const auto counts = store_->count({});
  if (!counts && counts.error().code == Errc::schema_mismatch) return {};
  if (!counts) return counts.error();
  parts_.figures.counted(*counts);
  if (counts->in_doubt > 0 || !doubtful_.empty()) MAKEGOOD_TRY(tell_of_doubts());
  std::size_t purged = 0;
  for (int step = 0; step < steps_max && !stop.stop_requested(); ++step) {
    const std::size_t keys = MAKEGOOD_TRY(store_->purge(grace, step_rows_max));
    const std::size_t events = MAKEGOOD_TRY(store_->purge_inbox(config_.inbox_retention, step_rows_max));
    parts_.figures.purged(keys);
    purged += keys;
    if (keys == 0 && events == 0) break;
  }
  if (purged > 0) parts_.tell({.kind = api::KeyNews::Kind::purged, .count = purged});
  told_.clear();
  return {};
}

Result<> KeyPurge::tell_of_doubts() {
  std::set<IdempotencyKey> doubtful;
  for (KeyView& view : MAKEGOOD_TRY(store_->list({.is_in_doubt = true}, {.tenant_id = ""}, doubts_max))) {
    const IdempotencyKey& key = *doubtful.insert(std::move(view.record.key)).first;
    if (!doubtful_.contains(key)) parts_.tell({.kind = api::KeyNews::Kind::in_doubt, .key = key});
  }
  doubtful_ = std::move(doubtful);
  return {};
}

void KeyPurge::tell(const Error& error) {
  if (told_ == error.message) return;
  told_ = error.message;
  parts_.log.write(LogLevel::warning, "idempotency purge", {{"because", error.message}});
}

}  // namespace makegood::daemon
