#include "transports/net/guard.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "transports/net/names.hpp"

namespace makegood::net {
namespace {

Error refusal(std::string message, std::string diagnostics = {}) {
  return {Errc::rejected, std::move(message), std::move(diagnostics)};
}

bool is_in(const std::vector<std::uint16_t>& ports, std::uint16_t port) {
  return std::ranges::find(ports, port) != ports.end();
}

/// The address is told to operators only: what an internal name leads to is not for tenants to find out.
Error never(const Address& address) {
  return refusal(
      "The destination's address is link-local, reserved, or that of a metadata service: no setting allows it.",
      to_string(address));
}
Error enclosed(const Address& address) {
  return refusal(
      "The destination's address is private: a tenant's destination needs it to be in `http.tenant_networks`.",
      to_string(address));
}

Error bad_name(NameKind kind) {
  if (kind == NameKind::metadata) return refusal("The host is a metadata service: no setting allows it.");
  if (kind == NameKind::this_machine) {
    return refusal("The host stands for this machine: no setting allows that name to a tenant's destination.");
  }
  return refusal(
      "The host is a name of a private network: a tenant's destination may have it only if "
      "`http.tenant_networks` says which addresses are allowed.");
}

}  // namespace

Result<Guard> Guard::from(const HttpOptions& options) {
  Guard guard;
  for (const std::string& network : options.tenant_networks) {
    const std::optional<AddressBlock> block = parse_block(network);
    if (!block) {
      return Error{Errc::config_invalid,
                   fmt::format("`{}` in `http.tenant_networks` is not a network such as `10.20.0.0/16` or `fd00::/8`.",
                               network)};
    }
    guard.tenant_networks_.push_back(*block);
  }
  guard.tenant_ports_ = options.tenant_ports;
  if (is_in(guard.tenant_ports_, 0)) {
    return Error{Errc::config_invalid, "0 in `http.tenant_ports` is not a port: they are between 1 and 65535."};
  }
  return guard;
}

Guard Guard::with_ports(std::vector<std::uint16_t> ports, std::string setting) const {
  Guard guard = *this;
  guard.tenant_ports_ = std::move(ports);
  guard.ports_setting_ = std::move(setting);
  return guard;
}

Result<> Guard::check(std::string_view host, std::uint16_t port, Trust trust) const {
  if (const auto address = parse_address(host)) MAKEGOOD_TRY(check(std::span(&*address, 1), trust));
  const NameKind kind = kind_of_name(host);
  if (kind == NameKind::metadata) return bad_name(kind);
  if (trust == Trust::operators) return {};

  if (!is_in(tenant_ports_, port)) {
    return refusal(fmt::format("Port {} is not in `{}` ({}), so a tenant's destination cannot have it.", port,
                               ports_setting_, fmt::join(tenant_ports_, ", ")));
  }
  if (kind == NameKind::this_machine) return bad_name(kind);
  // With a network of their own opened to them, tenants need its names too; the addresses are checked after the
  // look-up.
  if (kind == NameKind::enclosed && tenant_networks_.empty()) return bad_name(kind);
  return {};
}

Result<> Guard::check(std::span<const Address> addresses, Trust trust) const {
  if (addresses.empty()) return Error{Errc::unavailable, "The destination has no address."};
  for (const Address& address : addresses) {
    const Network network = network_of(address);
    if (network == Network::forbidden) return never(address);
    if (network == Network::open || trust == Trust::operators) continue;
    const auto holds = [&](const AddressBlock& block) { return contains(block, address); };
    if (std::ranges::none_of(tenant_networks_, holds)) return enclosed(address);
  }
  return {};
}

}  // namespace makegood::net
