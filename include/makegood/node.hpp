// Makegood inside an application: its store, its transports, the relay between them and its sagas, opened, started and
// stopped as one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "makegood/dispatcher.hpp"
#include "makegood/handlers.hpp"
#include "makegood/observe.hpp"
#include "makegood/result.hpp"
#include "makegood/spi/saga_store.hpp"

namespace makegood {

class SagaProcess;

struct NodeOptions {
  DispatcherOptions relay = {};  ///< The outbox, its destinations and routes, limits and times.
  HandlersOptions handlers = {};
  Observer* observer = nullptr;  ///< Must outlive the node; `Telemetry::observer()`, for example.
};

/// First everything is registered, then it is started. Not thread-safe, except `wake` and `wait_for_saga`.
class Node {
 public:
  /// `sqlite:PATH`, `postgres://…` as libpq takes it, or `memory:`. The tables are brought to this version.
  static Result<Node> open(std::string_view store_url, NodeOptions options = {});
  /// Stops it, if nobody has.
  ~Node();
  Node(Node&&) noexcept;
  Node& operator=(Node&&) noexcept;

  /// A function of this program receives the messages of these topics, as the destination `fn:<name>`.
  Node& on(const std::string& pattern, const std::string& name, Handler handler, Destination settings = {});
  /// The messages of these topics go to this destination: `http_destination("billing", {.url = …}).value()`.
  Node& route(const std::string& pattern, const Destination& destination);
  /// Carries what goes to destinations of its scheme. HTTP needs this only with options of its own.
  Node& add(std::unique_ptr<Transport> transport);

  /// Steps of sagas may call this destination.
  Node& add(const Destination& destination);
  /// Its executions are carried out here, and by every other node that has added it. `saga_builder.hpp` builds it.
  Node& add(const SagaProcess& saga);

  /// Refused if a destination has no transport, or a saga has mistakes, all of which are named. From here on handlers
  /// are called, on threads of their own.
  Result<> start();
  /// Starts no new sends, waits up to `grace` for those under way, records what became of them, gives the outbox up.
  void stop(Duration grace = std::chrono::seconds(25));
  /// Waits until the execution has ended, `wait` at most; nothing: it has not.
  Result<std::optional<SagaEnd>> wait_for_saga(std::string_view id, Duration wait,
                                               std::string_view tenant_id = "default");
  /// There may be new messages. Thread-safe, cheap, never required.
  void wake();

  /// Instead of `start`, for a program with an event loop of its own: the relay, which lives as long as the node.
  Result<Dispatcher*> relay();

 private:
  class Parts;
  explicit Node(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace makegood
