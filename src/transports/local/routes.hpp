// Which handler answers for which destination and topic.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "makegood/handlers.hpp"

namespace makegood::local {

inline constexpr std::string_view scheme = "fn";

class HandlerRoutes {
 public:
  /// A name that is already there gets one more route; its settings stay those of the first registration.
  void add(const std::string& pattern, const std::string& name, Responder responder, Destination settings);
  void add(const std::string& pattern, const std::string& name, Handler handler, Destination settings);

  /// Null if nobody answers for it. A destination with a single handler takes every topic that is routed to it, also by
  /// routes that were set up elsewhere; with several, the pattern decides.
  const Responder* find(std::string_view destination, std::string_view topic) const;

  std::vector<Destination> destinations() const;
  std::vector<Route> routes() const;

 private:
  struct Entry {
    std::string pattern;
    Responder responder;
  };
  struct Place {
    Destination destination;
    std::vector<Entry> entries;
  };
  const Place* place_of(std::string_view destination) const;

  std::vector<Place> places_;  ///< Sorted by name: a few dozen at most, found faster than by hashing.
  std::vector<Route> routes_;  ///< In the order of registration.
};

}  // namespace makegood::local
