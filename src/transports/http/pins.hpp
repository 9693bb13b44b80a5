// Which of a name's addresses is used: the same one as long as it works, so that its connections are used again.
#pragma once

#include <span>
#include <string>
#include <unordered_map>

#include "transports/http/net.hpp"

namespace makegood::http {

class Pins {
 public:
  /// One of `addresses`, of which there is at least one.
  Address choose(const std::string& host, std::span<const Address> addresses);
  /// No connection to it: the next choice is the next address.
  void failed(const std::string& host, const Address& address);

 private:
  struct Pin {
    Address address;
    bool has_failed = false;
  };
  std::unordered_map<std::string, Pin> pins_;  ///< Only of names with several addresses.
};

}  // namespace makegood::http
