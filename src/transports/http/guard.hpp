// Where a request may go. Operators are trusted with their own networks, tenants are not, and some addresses are for
// nobody.
#pragma once

#include <span>
#include <vector>

#include "makegood/http.hpp"
#include "transports/http/address.hpp"
#include "transports/http/url.hpp"

namespace makegood::http {

enum class Trust : std::uint8_t { operators, tenants };

class Guard {
 public:
  /// Refused when a network or port of the options is not one.
  static Result<Guard> from(const HttpOptions& options);

  /// Before the name is looked up: port, names that stand for this machine, a private network or a metadata service; an
  /// address that stands in the URL itself.
  Result<> check(const Url& url, Trust trust) const;
  /// All addresses of a name: one bad one spoils them all. The error (Errc::rejected) names the setting that
  /// would allow it; the address is in its diagnostics only, because what an internal name leads to is not for tenants.
  Result<> check(std::span<const Address> addresses, Trust trust) const;

 private:
  std::vector<AddressBlock> tenant_networks_;
  std::vector<std::uint16_t> tenant_ports_;
};

}  // namespace makegood::http
