// The key of a user of NATS, with which a server's challenge is signed (Ed25519).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "makegood/result.hpp"

namespace makegood::nats {

class UserKey {
 public:
  /// A seed (`SU…`), or a file of credentials with a JWT and a seed. The error does not repeat anything of it.
  static Result<UserKey> from(std::string_view text);

  const std::string& jwt() const { return jwt_; }                ///< Empty: the key stands for itself.
  const std::string& public_key() const { return public_key_; }  ///< `U…`
  /// In base 64 for URLs.
  Result<std::string> sign(std::string_view challenge) const;

 private:
  std::array<std::uint8_t, 32> seed_ = {};
  std::string public_key_;
  std::string jwt_;
};

}  // namespace makegood::nats
