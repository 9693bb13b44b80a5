#include "daemon/saga_cache.hpp"

#include <fmt/format.h>

#include <utility>

#include "api/json_out.hpp"
#include "api/saga_view.hpp"
#include "api/saga_view_json.hpp"
#include "base/forwarding_saga_store.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood::daemon {
namespace {

using namespace std::chrono_literals;

constexpr Duration kept_for = 24h;
constexpr Duration tried_again_after = 1s;
constexpr std::size_t batch_max = 100;
/// Executions that wait to be written. Beyond it the states of others are dropped.
constexpr std::size_t pending_max = 10'000;

class CachedSagaStore final : public ForwardingSagaStore {
 public:
  CachedSagaStore(std::unique_ptr<SagaStore> store, SagaCache& cache)
      : ForwardingSagaStore(std::move(store)), cache_(cache) {}

  Result<Committed> commit(const SagaTurn& turn) override {
    auto committed = ForwardingSagaStore::commit(turn);
    if (committed) cache_.committed(turn.journal);
    return committed;
  }

 private:
  SagaCache& cache_;
};

/// Without input, outputs and bodies: whoever may read them asks the server, which asks who they are.
CachedText text_of(api::SagaExecutionView view) {
  view.is_hidden = true;
  return {fmt::format("saga:execution:{}:{}", view.tenant_id, view.id), api::answer_of(view, api::put_execution).body};
}

}  // namespace

SagaCache::SagaCache(Parts parts)
    : parts_(std::move(parts)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void SagaCache::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void SagaCache::committed(std::span<const JournalRow> rows) {
  if (rows.empty()) return;
  const std::scoped_lock lock(mutex_);
  for (const JournalRow& row : rows) {
    if (pending_.size() < pending_max)
      pending_.insert(row.execution);
    else if (!pending_.contains(row.execution) && !is_away_)
      fallbacks_ += 1;
    if (is_away_) fallbacks_ += 1;
  }
  changed_.notify_all();
}

SagaCache::Numbers SagaCache::next() {
  const std::scoped_lock lock(mutex_);
  Numbers executions;
  while (!pending_.empty() && executions.size() < batch_max) {
    executions.push_back(pending_.extract(pending_.begin()).value());
  }
  return executions;
}

void SagaCache::run(const std::stop_token& stop) {
  bool is_fine = true;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (!is_fine) changed_.wait_for(lock, stop, tried_again_after, [] { return false; });
      changed_.wait(lock, stop, [this] { return !pending_.empty(); });
      if (stop.stop_requested() && (!is_fine || pending_.empty())) return;
    }
    is_fine = write(next());
  }
}

bool SagaCache::write(const Numbers& executions) {
  const auto texts = read(executions);
  if (!texts) {
    view_.reset();
    failed(executions, texts.error());
    return false;
  }
  if (const auto stored = parts_.cache->put(*texts, kept_for); !stored) {
    failed(executions, stored.error());
    return false;
  }
  written_ += texts->size();
  const std::scoped_lock lock(mutex_);
  if (std::exchange(is_away_, false)) parts_.log.write(LogLevel::info, "cache of sagas is back", {});
  told_.clear();
  return true;
}

/// What is gone meanwhile is left out.
Result<std::vector<CachedText>> SagaCache::read(const Numbers& executions) {
  if (!view_) view_ = MAKEGOOD_TRY(open_saga_view(parts_.store_url, parts_.store_options));
  std::vector<CachedText> texts;
  for (const Sequence execution : executions) {
    auto view = api::read_saga(*view_, execution);
    if (!view && view.error().code == Errc::not_found) continue;
    if (!view) return view.error();
    texts.push_back(text_of(*std::move(view)));
  }
  return texts;
}

/// They are written when the cache is back, so that it does not go on telling what was.
void SagaCache::failed(const Numbers& executions, const Error& error) {
  {
    const std::scoped_lock lock(mutex_);
    if (!std::exchange(is_away_, true)) fallbacks_ += executions.size();
    pending_.insert(executions.begin(), executions.end());
  }
  if (std::exchange(told_, error.message) == error.message) return;
  parts_.log.write(LogLevel::warning, "cache of sagas is away",
                   {{"code", to_string(error.code)}, {"error", error.message}, {"diagnostics", error.diagnostics}});
}

std::string SagaCache::metrics_text() const {
  return fmt::format(
      "# HELP saga_cache_written_total States of executions that were written to the cache.\n"
      "# TYPE saga_cache_written_total counter\nsaga_cache_written_total {}\n"
      "# HELP saga_redis_fallback_total States of executions that were not written because Redis was away.\n"
      "# TYPE saga_redis_fallback_total counter\nsaga_redis_fallback_total {}\n",
      written_.load(), fallbacks_.load());
}

std::unique_ptr<SagaStore> cached_saga_store(std::unique_ptr<SagaStore> store, SagaCache& cache) {
  return std::make_unique<CachedSagaStore>(std::move(store), cache);
}

}  // namespace makegood::daemon
