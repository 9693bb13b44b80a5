// Where a request may go. Operators are trusted with their own networks, tenants are not, and some addresses are for
// nobody.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/http.hpp"
#include "transports/net/address.hpp"

namespace makegood::net {

enum class Trust : std::uint8_t { operators, tenants };

class Guard {
 public:
  /// Refused when a network or port of the options is not one.
  static Result<Guard> from(const HttpOptions& options);

  /// The same for another list of ports, which this setting names.
  Guard with_ports(std::vector<std::uint16_t> ports, std::string setting) const;

  /// Before the name is looked up: port, names that stand for this machine, a private network or a metadata service; an
  /// address that stands in place of a name.
  Result<> check(std::string_view host, std::uint16_t port, Trust trust) const;
  /// All addresses of a name: one bad one spoils them all. The error (Errc::rejected) names the setting that
  /// would allow it; the address is in its diagnostics only, because what an internal name leads to is not for tenants.
  Result<> check(std::span<const Address> addresses, Trust trust) const;

 private:
  std::vector<AddressBlock> tenant_networks_;
  std::vector<std::uint16_t> tenant_ports_;
  std::string ports_setting_ = "http.tenant_ports";
};

}  // namespace makegood::net
