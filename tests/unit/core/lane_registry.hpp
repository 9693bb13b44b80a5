// A lane whose destinations and routes are in the store, and operators who change them.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "stores/memory/database.hpp"
#include "tests/unit/core/lane_on_store.hpp"

namespace makegood::core {

class LaneRegistryStory : public LaneOnStore {
 protected:
  LaneRegistryStory() {
    options.is_registry_in_store = true;
    options.destinations.clear();
    options.routes.clear();
  }
  /// Like those of LaneOnStore: every delay can be read off.
  static Destination named(const std::string& name) {
    return {.name = name,
            .retry = {.base = 1s, .jitter = 0},
            .circuit = {.failures_max = 3, .wait_min = 10s, .wait_max = 1min}};
  }
  static RoutingChange adds(Destination destination, const std::string& pattern = "*") {
    const std::string name = destination.name;
    return {.destinations = {std::move(destination)}, .routes = {{pattern, name}}};
  }
  static RoutingChange adds(const std::string& name) { return adds(named(name)); }
  static RoutingChange removes(const std::string& name) { return {.removed_destinations = {name}}; }

  std::int64_t ask_for(const RoutingChange& change) {
    return request(
        {.kind = RequestKind::configure, .destination = {}, .operator_name = {}, .document = encode(change)});
  }
  /// Asks, and lets the owner carry it out: one exchange finds it, the next writes its version.
  std::string configure(const RoutingChange& change) {
    const std::int64_t id = ask_for(change);
    exchange();
    exchange();
    return answer_to(id);
  }
  /// The lane is ours, and everything leads to these.
  void take_with(const std::vector<Destination>& destinations) {
    take();
    exchange();
    for (const Destination& destination : destinations) ASSERT_EQ(configure(adds(destination)), "done");
  }

  std::map<std::int64_t, Routing> versions() { return database().access().state().routings; }
  const Routing& newest() {
    newest_ = versions().rbegin()->second;
    return newest_;
  }
  std::vector<std::string> registered() {
    std::vector<std::string> names;
    for (const Destination& destination : newest().destinations) names.push_back(destination.name);
    return names;
  }
  std::string state_of(Sequence sequence, const std::string& destination = "fn:a") {
    const auto row = parked(sequence, destination);
    return row ? std::string(to_string(row->state)) + " " + row->error_code : "not parked";
  }

 private:
  Routing newest_;
};

}  // namespace makegood::core
