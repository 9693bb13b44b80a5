// In-process delivery: functions of this program as destinations.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "makegood/destination.hpp"
#include "makegood/spi/transport.hpp"

namespace makegood {

/// Receives the message with its metadata. An exception counts as retry(`UNKNOWN.INTERNAL`).
using Handler = std::function<Outcome(const Delivery&)>;

struct HandlersOptions {
  std::size_t threads = 4;         ///< How many handlers run at once.
  std::size_t abandoned_max = 64;  ///< Handlers that never returned; above it nothing more is started.
};

/// As a handler, but it tells all that came of it, with an output: for steps of sagas.
using Responder = std::function<Reply(const Delivery&)>;

/// Of the step that runs on this thread: asked to stop when its time is over, or its orchestrator ends.
std::stop_token current_step_stop_token();

/// Each handler is the destination `fn:<name>` with its own attempts, order and outcome.
class Handlers {
 public:
  explicit Handlers(HandlersOptions options = {});
  ~Handlers();
  Handlers(Handlers&&) noexcept;
  Handlers& operator=(Handlers&&) noexcept;

  /// Registers `handler` for the topics that match `pattern`. `settings.name` is filled in. Before the first send only.
  Handlers& on(const std::string& pattern, const std::string& name, Handler handler, Destination settings = {});

  /// As `on`, for everything that goes to `fn:<name>`.
  Handlers& answer(const std::string& name, Responder responder, Destination settings = {});

  Transport& transport();
  std::vector<Destination> destinations() const;
  std::vector<Route> routes() const;

 private:
  class Pool;
  std::shared_ptr<Pool> pool_;
};

}  // namespace makegood
