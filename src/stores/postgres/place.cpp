#include "stores/postgres/place.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <memory>

namespace makegood::postgres {
namespace {

struct FreeConnectionOptions {
  void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};

std::string text_or_empty(const char* text) { return text == nullptr ? std::string() : std::string(text); }

/// An empty item counts: it stands for the default.
std::vector<std::string> items_of(std::string_view list) {
  std::vector<std::string> items;
  if (list.empty()) return items;
  while (true) {
    const std::size_t comma = list.find(',');
    items.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return items;
    list.remove_prefix(comma + 1);
  }
}

std::string_view item_or_last(const std::vector<std::string>& items, std::size_t index) {
  if (items.empty()) return {};
  return items[std::min(index, items.size() - 1)];
}

Place place_at(std::string host, std::string port, const std::string& database, const std::string& machine) {
  const bool is_of_this_machine = is_local(host);
  return {.host = std::move(host),
          .port = std::move(port),
          .database = database,
          .machine = is_of_this_machine ? machine : std::string()};
}

std::string option_of(const PQconninfoOption* options, std::string_view name) {
  for (; options != nullptr && options->keyword != nullptr; ++options) {
    if (options->keyword == name) return text_or_empty(options->val);
  }
  return {};
}

}  // namespace

std::string to_string(const Place& place) {
  const std::string where = place.machine.empty() ? std::string() : fmt::format(" on machine {}", place.machine);
  return fmt::format("{}:{}/{}{}", place.host, place.port, place.database, where);
}

bool is_local(std::string_view host) {
  const bool is_socket = host.empty() || host.starts_with('/') || host.starts_with('@');
  return is_socket || host == "localhost" || host.ends_with(".localhost") || host.starts_with("127.") || host == "::1";
}

std::vector<Place> places_in(const HostLists& lists, const std::string& database, const std::string& machine) {
  const std::vector<std::string> hosts = items_of(lists.hosts);
  const std::vector<std::string> addresses = items_of(lists.addresses);
  const std::vector<std::string> ports = items_of(lists.ports);
  std::vector<Place> places;
  for (std::size_t i = 0; i < std::max(hosts.size(), addresses.size()); ++i) {
    const bool is_named = i < hosts.size() && !hosts[i].empty();
    const std::string_view host = is_named ? std::string_view(hosts[i]) : item_or_last(addresses, i);
    if (!host.empty()) {
      places.push_back(place_at(std::string(host), std::string(item_or_last(ports, i)), database, machine));
    }
  }
  return places;
}

Place connected_place(pg_conn* connection, const std::string& machine) {
  return place_at(text_or_empty(PQhost(connection)), text_or_empty(PQport(connection)), text_or_empty(PQdb(connection)),
                  machine);
}

std::vector<Place> configured_places(pg_conn* connection, const std::string& machine) {
  const std::unique_ptr<PQconninfoOption, FreeConnectionOptions> options(PQconninfo(connection));
  const std::string hosts = option_of(options.get(), "host");
  const std::string addresses = option_of(options.get(), "hostaddr");
  const std::string ports = option_of(options.get(), "port");
  std::vector<Place> places = places_in({hosts, addresses, ports}, text_or_empty(PQdb(connection)), machine);
  Place connected = connected_place(connection, machine);
  if (std::ranges::find(places, connected) == places.end()) places.push_back(std::move(connected));
  return places;
}

}  // namespace makegood::postgres
