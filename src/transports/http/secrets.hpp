// Secrets, and the keys among them.
#pragma once

#include <map>
#include <string>

#include "transports/http/net.hpp"
#include "transports/http/signature.hpp"
#include "transports/net/secrets.hpp"

namespace makegood::http {

/// One thread at a time per object.
class Secrets : public net::Secrets {
 public:
  using net::Secrets::Secrets;
  /// The secret, ready to sign. It stays valid until the next call.
  Result<const SigningKey*> signing_key(const std::string& reference, const Places& places);

 private:
  struct KeptKey {
    std::string text;
    SigningKey key;
  };
  std::map<std::string, KeptKey> keys_ = {};
};

}  // namespace makegood::http
