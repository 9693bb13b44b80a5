// What an application opens, starts and stops: a relay with the transports that its destinations need.
#include "makegood/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/transports.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood {
namespace {

std::string_view scheme_of(std::string_view destination) { return destination.substr(0, destination.find(':')); }

}  // namespace

class Node::Parts {
 public:
  Parts(std::unique_ptr<OutboxStore> store, NodeOptions options)
      : store_(std::move(store)), options_(std::move(options)), handlers_(options_.handlers) {}

  Handlers& handlers() { return handlers_; }

  void route(const std::string& pattern, const Destination& destination) {
    auto& known = options_.relay.destinations;
    if (std::ranges::find(known, destination.name, &Destination::name) == known.end()) known.push_back(destination);
    options_.relay.routes.push_back({pattern, destination.name});
  }

  void add(std::unique_ptr<Transport> transport) { transports_.push_back(std::move(transport)); }

  Result<Dispatcher*> relay() {
    if (!relay_) MAKEGOOD_TRY(make_relay());
    return relay_.get();
  }

  void stop(Duration grace) {
    if (relay_) relay_->stop(grace);
  }
  void wake() {
    if (relay_) relay_->wake();
  }

 private:
  Result<> make_relay() {
    DispatcherOptions options = options_.relay;
    for (Destination& destination : handlers_.destinations()) options.destinations.push_back(std::move(destination));
    for (Route& route : handlers_.routes()) options.routes.push_back(std::move(route));
    MAKEGOOD_TRY(open_transports(options));
    std::vector<Transport*> all = {&handlers_.transport()};
    for (const auto& transport : transports_) all.push_back(transport.get());
    relay_ = std::make_unique<Dispatcher>(std::move(store_), std::move(all), std::move(options), options_.observer);
    return {};
  }

  /// Those that a destination needs. Where destinations are in the store, any may come later.
  Result<> open_transports(const DispatcherOptions& options) {
    const std::shared_ptr<Transports> usual = usual_transports();
    for (const auto& kind : usual->kinds()) {
      const bool is_needed = options.is_registry_in_store || has_destination(options, kind->scheme());
      if (is_needed && !has_transport(kind->scheme())) add(MAKEGOOD_TRY(kind->open()));
    }
    for (const Destination& destination : options.destinations) {
      if (!has_transport(scheme_of(destination.name))) {
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
                               [&](const Destination& one) { return scheme_of(one.name) == scheme; });
  }

  std::unique_ptr<OutboxStore> store_;  ///< Until the relay has it.
  NodeOptions options_;
  // The relay uses what stands before it.
  Handlers handlers_;
  std::vector<std::unique_ptr<Transport>> transports_;
  std::unique_ptr<Dispatcher> relay_;
};

Result<Node> Node::open(std::string_view store_url, NodeOptions options) {
  auto store = MAKEGOOD_TRY(open_store(store_url, options.relay.outbox, true, options.relay.environment));
  return Node(std::make_unique<Parts>(std::move(store), std::move(options)));
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

Result<> Node::start() {
  MAKEGOOD_TRY(relay())->start();
  return {};
}

void Node::stop(Duration grace) { parts_->stop(grace); }
void Node::wake() { parts_->wake(); }
Result<Dispatcher*> Node::relay() { return parts_->relay(); }

}  // namespace makegood
