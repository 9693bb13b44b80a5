// A dispatcher on SQLite among the animals of the zoo: from enqueue to endpoint.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "makegood/dispatcher.hpp"
#include "makegood/handlers.hpp"
#include "makegood/spi/registry.hpp"
#include "tests/integration/http_zoo/at_the_zoo.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood {

/// Counts how deliveries end.
class Ends final : public Observer {
 public:
  void attempts_ended(std::string_view outbox, std::span<const EndedAttempt> deliveries) override;
  bool await(const std::string& destination, Fate fate, std::size_t count, std::chrono::milliseconds limit = 20s);
  std::size_t count(const std::string& destination, Fate fate);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<std::string, Fate>, std::size_t> counts_;
};

class RelayAtTheZoo : public AtTheZoo {
 protected:
  static RetryPolicy quick(std::uint32_t attempts) {
    return {.attempts_max = attempts, .base = 20ms, .cap = 50ms, .unreachable_for = {}};
  }
  /// `http:<name>`, and a route to it from the topics that begin with its name.
  void add(const std::string& name, const std::string& animal, const Destination& others = {.timeout = 5s});
  void add(const std::string& name, const HttpSettings& settings, const Destination& others = {.timeout = 5s});
  void route(const std::string& pattern, const std::string& name) {
    dispatcher_options_.routes.push_back({pattern, "http:" + name});
  }
  void enqueue(const std::vector<NewMessage>& messages);
  void start_relay();
  void stop_relay(Duration grace = 2s) { relay_->stop(grace); }
  std::vector<DeadLetter> dead_letters();

  testing_support::TemporaryFolder folder_;
  const std::string url_ = "sqlite:" + folder_.file("app.db");
  DispatcherOptions dispatcher_options_;
  Ends ends_;

 private:
  std::unique_ptr<Dispatcher> relay_;
};

}  // namespace makegood
