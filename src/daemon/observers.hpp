// One observer that tells several.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "makegood/observe.hpp"

namespace makegood::daemon {

class Observers final : public Observer {
 public:
  /// All must outlive it.
  explicit Observers(std::vector<Observer*> all) : all_(std::move(all)) {}

  void enqueued(std::string_view outbox, std::span<const MessagePtr> messages) override {
    for (Observer* each : all_) each->enqueued(outbox, messages);
  }
  void attempts_ended(std::string_view outbox, std::span<const EndedAttempt> deliveries) override {
    for (Observer* each : all_) each->attempts_ended(outbox, deliveries);
  }
  void figures(std::string_view outbox, const LaneFigures& figures) override {
    for (Observer* each : all_) each->figures(outbox, figures);
  }
  void ownership(std::string_view outbox, std::string_view what, const std::string& owner) override {
    for (Observer* each : all_) each->ownership(outbox, what, owner);
  }
  void alarm(std::string_view outbox, const Error& error) override {
    for (Observer* each : all_) each->alarm(outbox, error);
  }
  void news(std::string_view outbox, std::span<const LaneNews> news) override {
    for (Observer* each : all_) each->news(outbox, news);
  }
  void replayed(std::string_view outbox, std::size_t count) override {
    for (Observer* each : all_) each->replayed(outbox, count);
  }
  void saga_defined(std::string_view log, const std::string& definition) override {
    for (Observer* each : all_) each->saga_defined(log, definition);
  }
  void sagas(std::string_view log, std::span<const SagaNews> news) override {
    for (Observer* each : all_) each->sagas(log, news);
  }
  void saga_figures(std::string_view log, const SagaFigures& figures) override {
    for (Observer* each : all_) each->saga_figures(log, figures);
  }
  void source(std::string_view outbox, std::string_view source, const SourceNews& news) override {
    for (Observer* each : all_) each->source(outbox, source, news);
  }

 private:
  const std::vector<Observer*> all_;
};

}  // namespace makegood::daemon
