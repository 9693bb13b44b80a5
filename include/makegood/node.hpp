// Makegood inside an application: its store, its transports and the relay between them, opened, started and stopped as
// one.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "makegood/dispatcher.hpp"
#include "makegood/handlers.hpp"
#include "makegood/observe.hpp"
#include "makegood/result.hpp"

namespace makegood {

struct NodeOptions {
  DispatcherOptions relay = {};  ///< The outbox, its destinations and routes, limits and times.
  HandlersOptions handlers = {};
  Observer* observer = nullptr;  ///< Must outlive the node; `Telemetry::observer()`, for example.
};

/// First everything is registered, then it is started. Not thread-safe, except `wake`.
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

  /// Refused if a destination has no transport. From here on handlers are called, on threads of their own.
  Result<> start();
  /// Starts no new sends, waits up to `grace` for those under way, records what became of them, gives the outbox up.
  void stop(Duration grace = std::chrono::seconds(25));
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
