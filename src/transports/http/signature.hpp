// Signatures by Standard Webhooks 1.0: over the id, the time of the attempt and the bytes that are sent.
#pragma once

#include <openssl/evp.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "makegood/result.hpp"

namespace makegood::http {

/// The same bytes, as OpenSSL wants them.
inline const unsigned char* octets_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

struct FreeMac {
  void operator()(EVP_MAC_CTX* context) const noexcept { EVP_MAC_CTX_free(context); }
};
struct FreeKey {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};

/// A key, made ready once and used for many signatures. One thread at a time per object.
class SigningKey {
 public:
  /// `whsec_` and 24 to 64 bytes (HMAC-SHA256), or `whsk_` and an Ed25519 seed, with or without the public key behind
  /// it; both in base 64. The error never repeats the text.
  static Result<SigningKey> from(std::string_view text);

  /// Appends `v1,…` or `v1a,…`. The id has no dot, so nobody can move the borders between the three.
  Result<> sign(std::string_view id, std::int64_t seconds, std::string_view body, std::string& signatures) const;

 private:
  SigningKey() = default;
  std::unique_ptr<EVP_MAC_CTX, FreeMac> mac_;  ///< Holds the key; begun anew for each signature.
  std::unique_ptr<EVP_PKEY, FreeKey> pair_;
};

}  // namespace makegood::http
