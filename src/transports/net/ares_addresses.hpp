// What c-ares has found out about a name, in one type.
#pragma once

#include <ares.h>

#include <memory>
#include <vector>

#include "makegood/clock.hpp"
#include "transports/net/address.hpp"

namespace makegood::net {

class AresAddresses {
 public:
  /// Takes what a callback of c-ares was given; null when there was nothing.
  explicit AresAddresses(ares_addrinfo* found) : found_(found) {}

  /// Each once, IPv4 first: containers without IPv6 are common, and c-ares gives them in the order of arrival.
  std::vector<Address> list() const;
  /// The shortest of all records that led here.
  Duration time_to_live() const;

 private:
  struct Free {
    void operator()(ares_addrinfo* found) const noexcept { ares_freeaddrinfo(found); }
  };
  std::unique_ptr<ares_addrinfo, Free> found_;
};

}  // namespace makegood::net
