// Executions, as they are after each commit, in a cache that others read. The database stays the only truth: what the
// cache does not take is dropped and counted, and nobody waits for it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/text_cache.hpp"
#include "makegood/spi/saga_store.hpp"
#include "observe/log.hpp"

namespace makegood::daemon {

class SagaCache {
 public:
  struct Parts {
    std::string store_url;
    SagaStoreOptions store_options;
    observe::Log& log;
    std::unique_ptr<TextCache> cache;
  };
  /// What `parts` refers to must outlive it.
  explicit SagaCache(Parts parts);
  ~SagaCache() { stop(); }
  SagaCache(const SagaCache&) = delete;
  SagaCache& operator=(const SagaCache&) = delete;

  /// These rows are committed. Thread-safe; never waits.
  void committed(std::span<const JournalRow> rows);
  /// Writes what it has in hand, unless the cache is away.
  void stop();
  /// In Prometheus' format.
  std::string metrics_text() const;

 private:
  using Numbers = std::vector<Sequence>;

  void run(const std::stop_token& stop);
  Numbers next();
  /// False: the cache or the store is away.
  bool write(const Numbers& executions);
  Result<std::vector<CachedText>> read(const Numbers& executions);
  void failed(const Numbers& executions, const Error& error);

  const Parts parts_;
  std::atomic<std::uint64_t> written_ = 0;
  std::atomic<std::uint64_t> fallbacks_ = 0;

  // Used by the thread only.
  std::unique_ptr<SagaView> view_;
  std::string told_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  // Guarded by mutex_.
  std::set<Sequence> pending_;
  bool is_away_ = false;

  std::jthread thread_;  // Last: it uses all of the above.
};

/// The store of an orchestrator, whose commits are told to the cache. The cache must outlive it.
std::unique_ptr<SagaStore> cached_saga_store(std::unique_ptr<SagaStore> store, SagaCache& cache);

}  // namespace makegood::daemon
