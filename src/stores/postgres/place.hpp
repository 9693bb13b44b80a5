// Where a server is reached: what the configuration says, not what the server says of itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct pg_conn;

namespace makegood::postgres {

/// As it is written in the configuration, so that an address that changes without a hand is no other place.
struct Place {
  std::string host;  ///< Or the folder of a socket.
  std::string port;
  std::string database;
  std::string machine = {};  ///< Of a place that only this machine knows: loopback, or a socket. A digest.
  bool operator==(const Place&) const = default;
};

/// `db.internal:5432/shop`.
std::string to_string(const Place& place);

/// Whether the host means something else on each machine.
bool is_local(std::string_view host);

/// Comma-separated lists as libpq has them: one host for each port, or one port for all.
struct HostLists {
  std::string_view hosts;
  std::string_view addresses;  ///< Stand in for a host that is not named.
  std::string_view ports;
};
std::vector<Place> places_in(const HostLists& lists, const std::string& database, const std::string& machine);

/// The one that this connection has been made to.
Place connected_place(pg_conn* connection, const std::string& machine);
/// All that it might have been made to; at least that one.
std::vector<Place> configured_places(pg_conn* connection, const std::string& machine);

}  // namespace makegood::postgres
