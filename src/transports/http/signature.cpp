#include "transports/http/signature.hpp"

#include <fmt/format.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>

#include <array>
#include <optional>
#include <utility>

#include "base/base64.hpp"

namespace makegood::http {
namespace {

constexpr std::string_view shared_prefix = "whsec_";
constexpr std::string_view pair_prefix = "whsk_";
constexpr std::size_t shared_bytes_min = 24;
constexpr std::size_t shared_bytes_max = 64;
constexpr std::size_t seed_bytes = 32;
constexpr std::size_t pair_bytes = 64;  // The seed and the public key, as some tools write it.

Error no_key() {
  return {
      Errc::config_invalid,
      "A signing key cannot be used; allowed: whsec_ and 24 to 64 bytes, or whsk_ and an Ed25519 seed, in base 64."};
}
Error no_signature() { return {Errc::internal, "A message could not be signed."}; }

/// Key material, wiped when it is no longer needed.
class Material {
 public:
  explicit Material(std::optional<std::string> bytes) : bytes_(std::move(bytes)) {}
  ~Material() {
    if (bytes_) OPENSSL_cleanse(bytes_->data(), bytes_->size());
  }
  Material(const Material&) = delete;
  Material& operator=(const Material&) = delete;
  std::size_t size() const { return bytes_ ? bytes_->size() : 0; }
  const unsigned char* data() const { return octets_of(*bytes_); }

 private:
  std::optional<std::string> bytes_;
};

/// Looked up once: OpenSSL takes locks and searches its providers for it.
EVP_MAC* hmac() {
  static const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> found(EVP_MAC_fetch(nullptr, "HMAC", nullptr),
                                                                       &EVP_MAC_free);
  return found.get();
}

std::unique_ptr<EVP_MAC_CTX, FreeMac> prepared_mac(const Material& key) {
  std::unique_ptr<EVP_MAC_CTX, FreeMac> mac(EVP_MAC_CTX_new(hmac()));
  std::string digest = "SHA256";
  const std::array<OSSL_PARAM, 2> parameters = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0), OSSL_PARAM_construct_end()};
  if (!mac || EVP_MAC_init(mac.get(), key.data(), key.size(), parameters.data()) != 1) mac.reset();
  return mac;
}

Result<> append_mac(EVP_MAC_CTX* mac, std::string_view head, std::string_view body, std::string& text) {
  std::array<unsigned char, 32> bytes = {};
  std::size_t length = 0;
  // Without a key it begins anew with the one that it has.
  if (EVP_MAC_init(mac, nullptr, 0, nullptr) != 1 || EVP_MAC_update(mac, octets_of(head), head.size()) != 1 ||
      EVP_MAC_update(mac, octets_of(body), body.size()) != 1 ||
      EVP_MAC_final(mac, bytes.data(), &length, bytes.size()) != 1) {
    return no_signature();
  }
  text += "v1,";
  text += to_base64({reinterpret_cast<const char*>(bytes.data()), length});
  return {};
}

Result<> append_pair_signature(EVP_PKEY* pair, const std::string& signed_text, std::string& text) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  std::array<unsigned char, 64> bytes = {};
  std::size_t length = bytes.size();
  if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, pair) != 1 ||
      EVP_DigestSign(context.get(), bytes.data(), &length, octets_of(signed_text), signed_text.size()) != 1) {
    return no_signature();
  }
  text += "v1a,";
  text += to_base64({reinterpret_cast<const char*>(bytes.data()), length});
  return {};
}

}  // namespace

Result<SigningKey> SigningKey::from(std::string_view text) {
  SigningKey key;
  if (text.starts_with(shared_prefix)) {
    const Material bytes(from_base64(text.substr(shared_prefix.size()), true));
    if (bytes.size() < shared_bytes_min || bytes.size() > shared_bytes_max) return no_key();
    key.mac_ = prepared_mac(bytes);
  } else if (text.starts_with(pair_prefix)) {
    const Material bytes(from_base64(text.substr(pair_prefix.size()), true));
    if (bytes.size() != seed_bytes && bytes.size() != pair_bytes) return no_key();
    key.pair_.reset(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes.data(), seed_bytes));
  }
  if (!key.mac_ && !key.pair_) return no_key();
  return key;
}

Result<> SigningKey::sign(std::string_view id, std::int64_t seconds, std::string_view body,
                          std::string& signatures) const {
  std::string head = fmt::format("{}.{}.", id, seconds);
  if (mac_) return append_mac(mac_.get(), head, body, signatures);
  return append_pair_signature(pair_.get(), head.append(body), signatures);
}

}  // namespace makegood::http
