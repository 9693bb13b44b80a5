// Destinations and routes, by version: how a change becomes a version.
//
// A version counts from the main lane's position, so it has to be there before the next rows are looked for. Where the
// registry is in the store, a change takes two exchanges therefore: one finds the request and tries it, the next looks
// by the new version and writes it, together with the answer. Until then the request stays open: if the turn is lost,
// the next owner does it all again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/routings.hpp"
#include "makegood/dispatcher.hpp"
#include "makegood/spi/store.hpp"

namespace makegood::core {

class RoutingRegistry {
 public:
  RoutingRegistry(const DispatcherOptions& options, bool is_in_store) : options_(options), is_in_store_(is_in_store) {}

  Routings& routings() { return routings_; }
  const Routings& routings() const { return routings_; }
  /// The options may want other routes from now on.
  void options_changed() { leads_as_wanted_ = false; }

  /// Before a look: the version by which it is to read beyond `reached`, if that is a new one.
  void propose(Sequence reached, Sequence counter);
  /// By which the look under way reads on.
  const Routing& current() const { return proposed_ ? *proposed_ : routings_.newest(); }
  /// No version leads anything anywhere, nor does the proposed one.
  bool is_without_routes() const;

  struct Adopted {
    Routing routing;
    bool is_first = false;
    std::optional<std::int64_t> request = {};  ///< Done with it.
  };
  /// After the look: what was proposed counts.
  std::optional<Adopted> adopt();

  /// An operator wants other destinations or routes; one change at a time. Nothing: it stays open until a turn carries
  /// its version.
  std::optional<std::string> change(const Request& request);
  bool has_change() const { return change_.has_value(); }
  void forget_change() { change_.reset(); }

 private:
  /// Destinations and routes as they should be, because an operator asked for it.
  struct Change {
    std::int64_t request = 0;
    Routing routing = {};
  };
  Routing wanted() const;
  bool leads_elsewhere();

  const DispatcherOptions& options_;
  const bool is_in_store_;
  Routings routings_;
  bool leads_as_wanted_ = false;     ///< The newest version does, as far as the options tell.
  std::optional<Routing> proposed_;  ///< Counts from the exchange under way on.
  std::optional<Change> change_;     ///< To be proposed with the next look.
};

}  // namespace makegood::core
