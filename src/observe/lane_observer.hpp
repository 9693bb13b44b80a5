// What a lane tells, turned into log lines and metrics. Any number of lanes may share one.
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "makegood/clock.hpp"
#include "makegood/observe.hpp"
#include "observe/alarm_filter.hpp"
#include "observe/log.hpp"
#include "observe/metrics.hpp"

namespace makegood::observe {

class LaneObserver final : public Observer {
 public:
  /// All three must outlive it.
  LaneObserver(Log& log, Metrics& metrics, const Clock& clock = system_clock());

  void enqueued(std::string_view outbox, std::span<const MessagePtr> messages) override;
  void attempts_ended(std::string_view outbox, std::span<const EndedAttempt> deliveries) override;
  void figures(std::string_view outbox, const LaneFigures& figures) override;
  void ownership(std::string_view outbox, std::string_view what, const std::string& owner) override;
  void alarm(std::string_view outbox, const Error& error) override;
  void news(std::string_view outbox, std::span<const LaneNews> news) override;
  void replayed(std::string_view outbox, std::size_t count) override;
  void saga_defined(std::string_view log, const std::string& definition) override;
  void sagas(std::string_view log, std::span<const SagaNews> news) override;
  void saga_figures(std::string_view log, const SagaFigures& figures) override;
  void source(std::string_view outbox, std::string_view source, const SourceNews& news) override;

 private:
  // Constant after construction.
  Log& log_;
  Metrics& metrics_;
  const Clock& clock_;

  // Guarded by mutex_.
  std::mutex mutex_;
  AlarmFilter alarms_;
};

}  // namespace makegood::observe
