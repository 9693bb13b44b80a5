// A database, an orchestrator over it and participants: functions that do nothing, or an HTTP endpoint. Executions are
// started by one client, which keeps so many in flight, or begins so many a second.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/scratch.hpp"
#include "makegood/handlers.hpp"
#include "makegood/http.hpp"
#include "makegood/observe.hpp"
#include "makegood/saga.hpp"

namespace makegood::bench {

inline constexpr const char* saga_endpoint = "http:steps";

/// `steps` steps one after another, each with a compensation, at participants of this URI.
SagaDefinition chain_of(const std::string& name, std::size_t steps, const std::string& uri);

/// Started as another process, to be killed. Functions do nothing.
void orchestrate_until_killed(const std::string& store_url);

/// Which executions were begun when, and what became of them. Thread-safe.
class SagaEnds final : public Observer {
 public:
  void begun(const std::string& id, MonotonicTime at);
  void sagas(std::string_view log, std::span<const SagaNews> news) override;
  void alarm(std::string_view outbox, const Error& error) override;
  /// Waits for one at least; answers how many have ended since the last question.
  std::size_t wait_for_some();
  void wait_for_all();
  /// Milliseconds from the start to the end, of all that have ended; they are forgotten.
  std::vector<double> take_waits();
  /// How many ended otherwise than wanted.
  std::size_t count(SagaNews::Kind kind) const { return counts_[static_cast<std::size_t>(kind)]; }

 private:
  std::mutex mutex_;
  std::condition_variable has_ended_;
  std::unordered_map<std::string, MonotonicTime> begun_;
  std::vector<double> waits_;
  std::size_t untold_ = 0;
  std::array<std::atomic<std::size_t>, 8> counts_ = {};
};

struct SagaPace {
  double per_second = 0;
  std::vector<double> waits = {};  ///< Milliseconds from before the start until its end was told.
};

class SagaStation {
 public:
  /// `endpoint`: the URL of the destination `http:steps`; empty: there are only functions.
  explicit SagaStation(std::string store_url, const std::string& endpoint = {});
  explicit SagaStation(const Scratch& scratch, const std::string& endpoint = {})
      : SagaStation(scratch.url(), endpoint) {}
  ~SagaStation() { stop(); }
  SagaStation(const SagaStation&) = delete;
  SagaStation& operator=(const SagaStation&) = delete;

  /// Steps call it as `fn:<name>`. Before `start`.
  void add(const std::string& name, SagaParticipant participant);
  void define(const SagaDefinition& definition);
  void start();
  void stop();

  /// A closed loop. Starts that are due together share a commit.
  SagaPace keep_in_flight(const std::string& definition, std::size_t in_flight, std::size_t count);
  /// An open loop, each start in a transaction of its own; answers when the last has ended, if there is an
  /// orchestrator.
  std::vector<double> begin_at(int per_second, const std::string& definition, std::size_t count);
  /// So many starts, 1,000 to a transaction.
  void append(const std::string& definition, std::size_t count);

  SagaEnds& ends() { return ends_; }
  SagaView& view() { return *view_; }

 private:
  const std::string store_url_;
  SagaEnds ends_;
  Handlers handlers_;
  std::unique_ptr<Transport> http_;
  std::vector<Destination> destinations_;
  std::unique_ptr<SagaView> view_;
  std::optional<SagaOrchestrator> orchestrator_;
};

}  // namespace makegood::bench
