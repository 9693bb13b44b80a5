#include "transports/local/routes.hpp"

#include <algorithm>
#include <utility>

#include "base/transports.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::local {
namespace {

bool is_handler_name(std::string_view name) {
  return is_destination_name(name) && name.find_first_of(":/") == std::string_view::npos;
}

}  // namespace

void HandlerRoutes::add(const std::string& pattern, const std::string& name, Responder responder,
                        Destination settings) {
  MAKEGOOD_ASSERT(is_handler_name(name));
  MAKEGOOD_ASSERT(responder != nullptr);
  settings.name = std::string(scheme) + ":" + name;
  auto place = std::ranges::lower_bound(places_, settings.name, {}, [](const Place& p) { return p.destination.name; });
  if (place == places_.end() || place->destination.name != settings.name) {
    place = places_.insert(place, {.destination = std::move(settings), .entries = {}});
  }
  const auto is_same = [&](const Entry& entry) { return entry.pattern == pattern; };
  MAKEGOOD_ASSERT(std::ranges::none_of(place->entries, is_same));
  place->entries.push_back({.pattern = pattern, .responder = std::move(responder)});
  routes_.push_back({.pattern = pattern, .destination = place->destination.name});
}

void HandlerRoutes::add(const std::string& pattern, const std::string& name, Handler handler, Destination settings) {
  MAKEGOOD_ASSERT(handler != nullptr);
  auto says = [handler = std::move(handler)](const Delivery& delivery) { return Reply::said(handler(delivery)); };
  add(pattern, name, Responder(std::move(says)), std::move(settings));
}

const Responder* HandlerRoutes::find(std::string_view destination, std::string_view topic) const {
  const Place* place = place_of(destination);
  if (place == nullptr) return nullptr;
  if (place->entries.size() == 1) return &place->entries.front().responder;
  const auto entry = std::ranges::find_if(place->entries, [&](const Entry& e) { return matches(e.pattern, topic); });
  return entry == place->entries.end() ? nullptr : &entry->responder;
}

std::vector<Destination> HandlerRoutes::destinations() const {
  std::vector<Destination> destinations;
  destinations.reserve(places_.size());
  for (const Place& place : places_) destinations.push_back(place.destination);
  return destinations;
}

std::vector<Route> HandlerRoutes::routes() const { return routes_; }

/// By what comes behind the scheme, whichever word for it was used.
const HandlerRoutes::Place* HandlerRoutes::place_of(std::string_view destination) const {
  if (carrier_of(destination) != scheme) return nullptr;
  const std::string_view name = destination.substr(destination.find(':') + 1);
  const auto name_of = [](const Place& place) {
    return std::string_view(place.destination.name).substr(scheme.size() + 1);
  };
  const auto place = std::ranges::lower_bound(places_, name, {}, name_of);
  if (place == places_.end() || name_of(*place) != name) return nullptr;
  return &*place;
}

}  // namespace makegood::local
