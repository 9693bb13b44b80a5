// What an application opens, starts and stops: a relay and sagas, with the transports that their destinations need.
#include "makegood/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/saga_check.hpp"
#include "base/transports.hpp"
#include "makegood/saga.hpp"
#include "makegood/saga_builder.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood {
namespace {

/// How often an end that is waited for is looked for: soon at first, then seldom.
constexpr Duration first_look = std::chrono::milliseconds(2);
constexpr Duration longest_look = std::chrono::milliseconds(100);

}  // namespace

/// The sagas of a node: their functions, and the orchestrator that carries executions out.
class NodeSagas {
 public:
  NodeSagas(std::string store_url, SagaStoreOptions store, const HandlersOptions& handlers)
      : store_url_(std::move(store_url)), store_(std::move(store)), functions_(handlers) {}

  void add(const SagaProcess& saga) { sagas_.push_back(saga); }
  bool has_any() const { return !sagas_.empty(); }
  Transport& transport() { return functions_.transport(); }

  Result<> start(std::vector<Transport*> transports, std::vector<Destination> destinations, Observer* observer,
                 Endpoints& endpoints) {
    MAKEGOOD_TRY(register_functions());
    for (const SagaProcess& saga : sagas_) MAKEGOOD_TRY(check_urls(saga.definition(), destinations));
    auto store = MAKEGOOD_TRY(open_saga_store(store_url_, store_));
    view_ = MAKEGOOD_TRY(open_saga_view(store_url_, store_));
    for (const SagaProcess& saga : sagas_) MAKEGOOD_TRY(put_definition(*view_, saga.definition()));
    for (Destination& function : functions_.destinations()) destinations.push_back(std::move(function));
    orchestrator_.emplace(
        std::move(store), std::move(transports), SagaOptions{},
        [destinations = std::move(destinations)] { return Result(destinations); }, observer, system_clock(),
        &endpoints);
    orchestrator_->start();
    return {};
  }
  void stop(Duration grace) {
    if (orchestrator_) orchestrator_->stop(grace);
  }
  void wake() {
    if (orchestrator_) orchestrator_->wake();
  }

  Result<std::optional<SagaEnd>> wait_for(std::string_view tenant_id, std::string_view id, Duration wait) {
    const MonotonicTime until = system_clock().monotonic() + wait;
    for (Duration pause = first_look;; pause = std::min(2 * pause, longest_look)) {
      auto end = MAKEGOOD_TRY(end_of(tenant_id, id));
      if (end || system_clock().monotonic() + pause > until) return end;
      std::this_thread::sleep_for(pause);
    }
  }

 private:
  /// Not before all of them are right: a wrong name is a mistake of the application's, and told as one.
  Result<> register_functions() {
    std::set<std::string_view> names;
    for (const SagaProcess& saga : sagas_) {
      MAKEGOOD_TRY(saga.check());
      if (names.insert(saga.name()).second) continue;
      return Error{Errc::invalid, fmt::format("The saga {} was added twice; add it once.", saga.name())};
    }
    for (const SagaProcess& saga : sagas_) {
      for (const SagaFunction& function : saga.functions()) add_participant(functions_, function.name, function.run);
    }
    return {};
  }

  Result<std::optional<SagaEnd>> end_of(std::string_view tenant_id, std::string_view id) {
    const std::lock_guard lock(view_mutex_);
    if (!view_) return Error{Errc::invalid, "The node has no sagas, or was not started."};
    const auto number = MAKEGOOD_TRY(view_->find(tenant_id, id));
    if (!number) return std::optional<SagaEnd>();
    auto loaded = MAKEGOOD_TRY(view_->load(*number));
    return loaded ? std::move(loaded->end) : std::optional<SagaEnd>();
  }

  const std::string store_url_;
  const SagaStoreOptions store_;
  std::vector<SagaProcess> sagas_;
  Handlers functions_;
  std::mutex view_mutex_;
  std::unique_ptr<SagaView> view_;                ///< Guarded by view_mutex_, once it is started.
  std::optional<SagaOrchestrator> orchestrator_;  // Uses what stands before it.
};

class Node::Parts {
 public:
  Parts(std::string store_url, std::unique_ptr<OutboxStore> store, NodeOptions options)
      : store_(std::move(store)),
        options_(std::move(options)),
        handlers_(options_.handlers),
        sagas_(std::move(store_url), {.outbox = options_.relay.outbox, .environment = options_.relay.environment},
               options_.handlers) {}

  Handlers& handlers() { return handlers_; }
  NodeSagas& sagas() { return sagas_; }

  void add(const Destination& destination) {
    auto& known = options_.relay.destinations;
    if (std::ranges::find(known, destination.name, &Destination::name) == known.end()) known.push_back(destination);
  }
  void route(const std::string& pattern, const Destination& destination) {
    add(destination);
    options_.relay.routes.push_back({pattern, destination.name});
  }

  void add(std::unique_ptr<Transport> transport) { transports_.push_back(std::move(transport)); }

  Result<Dispatcher*> relay() {
    if (!relay_) MAKEGOOD_TRY(make_relay());
    return relay_.get();
  }

  Result<> start() {
    Dispatcher* const relay = MAKEGOOD_TRY(this->relay());
    if (sagas_.has_any()) {
      MAKEGOOD_TRY(sagas_.start(transports_with(sagas_.transport()), options_.relay.destinations, options_.observer,
                                endpoints_));
    }
    relay->start();
    return {};
  }
  void stop(Duration grace) {
    sagas_.stop(grace);
    if (relay_) relay_->stop(grace);
  }
  void wake() {
    sagas_.wake();
    if (relay_) relay_->wake();
  }

 private:
  Result<> make_relay() {
    DispatcherOptions options = options_.relay;
    for (Destination& destination : handlers_.destinations()) options.destinations.push_back(std::move(destination));
    for (Route& route : handlers_.routes()) options.routes.push_back(std::move(route));
    MAKEGOOD_TRY(open_transports(options));
    relay_ = std::make_unique<Dispatcher>(std::move(store_), transports_with(handlers_.transport()), std::move(options),
                                          options_.observer, system_clock(), &endpoints_);
    return {};
  }

  std::vector<Transport*> transports_with(Transport& functions) {
    std::vector<Transport*> all = {&functions};
    for (const auto& transport : transports_) all.push_back(transport.get());
    return all;
  }

  /// Those that a destination needs. Where destinations are in the store, any may come later.
  Result<> open_transports(const DispatcherOptions& options) {
    const std::shared_ptr<Transports> usual = usual_transports();
    for (const auto& kind : usual->kinds()) {
      const bool is_needed = options.is_registry_in_store || has_destination(options, kind->scheme());
      if (is_needed && !has_transport(kind->scheme())) add(MAKEGOOD_TRY(kind->open()));
    }
    for (const Destination& destination : options.destinations) {
      if (!has_transport(carrier_of(destination.name))) {
        return Error{Errc::invalid,
                     fmt::format("No transport carries to {}; add one with Node::add.", destination.name)};
      }
    }
    return {};
  }

  bool has_transport(std::string_view scheme) {
    return handlers_.transport().features().scheme == scheme ||
           std::ranges::any_of(transports_, [&](const auto& one) { return one->features().scheme == scheme; });
  }
  static bool has_destination(const DispatcherOptions& options, std::string_view scheme) {
    return std::ranges::any_of(options.destinations,
                               [&](const Destination& one) { return carrier_of(one.name) == scheme; });
  }

  std::unique_ptr<OutboxStore> store_;  ///< Until the relay has it.
  NodeOptions options_;
  // The relay uses what stands before it.
  Handlers handlers_;
  std::vector<std::unique_ptr<Transport>> transports_;
  Endpoints endpoints_;
  NodeSagas sagas_;
  std::unique_ptr<Dispatcher> relay_;
};

Result<Node> Node::open(std::string_view store_url, NodeOptions options) {
  auto store = MAKEGOOD_TRY(open_store(store_url, options.relay.outbox, true, options.relay.environment));
  return Node(std::make_unique<Parts>(std::string(store_url), std::move(store), std::move(options)));
}

Node::Node(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Node::~Node() = default;
Node::Node(Node&&) noexcept = default;
Node& Node::operator=(Node&&) noexcept = default;

Node& Node::on(const std::string& pattern, const std::string& name, Handler handler, Destination settings) {
  parts_->handlers().on(pattern, name, std::move(handler), std::move(settings));
  return *this;
}

Node& Node::route(const std::string& pattern, const Destination& destination) {
  parts_->route(pattern, destination);
  return *this;
}

Node& Node::add(std::unique_ptr<Transport> transport) {
  parts_->add(std::move(transport));
  return *this;
}

Node& Node::add(const Destination& destination) {
  parts_->add(destination);
  return *this;
}

Node& Node::add(const SagaProcess& saga) {
  parts_->sagas().add(saga);
  return *this;
}

Result<std::optional<SagaEnd>> Node::wait_for_saga(std::string_view id, Duration wait, std::string_view tenant_id) {
  return parts_->sagas().wait_for(tenant_id, id, wait);
}

Result<> Node::start() { return parts_->start(); }

void Node::stop(Duration grace) { parts_->stop(grace); }
void Node::wake() { parts_->wake(); }
Result<Dispatcher*> Node::relay() { return parts_->relay(); }

}  // namespace makegood
