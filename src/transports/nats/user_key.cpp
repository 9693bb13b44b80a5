#include "transports/nats/user_key.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/base64.hpp"

namespace makegood::nats {
namespace {

constexpr std::string_view base32_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr std::uint8_t seed_prefix = 18 << 3;
constexpr std::uint8_t user_prefix = 20 << 3;
constexpr std::size_t raw_seed_bytes = 2 + 32 + 2;

struct FreeKey {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
using Key = std::unique_ptr<EVP_PKEY, FreeKey>;
struct FreeDigest {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};

Error not_a_key() {
  return {Errc::config_invalid,
          "What user_key leads to is neither the seed of a user (SU…) nor a file of credentials with one."};
}

std::optional<std::vector<std::uint8_t>> from_base32(std::string_view text) {
  std::vector<std::uint8_t> bytes;
  unsigned buffer = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const std::size_t value = base32_letters.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    buffer = (buffer << 5U) | static_cast<unsigned>(value);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<std::uint8_t>(buffer >> bits));
    buffer &= (1U << bits) - 1;
  }
  return bytes;
}

std::string to_base32(std::span<const std::uint8_t> bytes) {
  std::string text;
  unsigned buffer = 0;
  unsigned bits = 0;
  for (const std::uint8_t byte : bytes) {
    buffer = (buffer << 8U) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += base32_letters[(buffer >> (bits - 5)) & 31U];
    buffer &= (1U << bits) - 1;
  }
  if (bits > 0) text += base32_letters[(buffer << (5 - bits)) & 31U];
  return text;
}

/// CRC-16/XMODEM.
std::uint16_t checksum(std::span<const std::uint8_t> bytes) {
  unsigned sum = 0;
  for (const std::uint8_t byte : bytes) {
    sum ^= static_cast<unsigned>(byte) << 8U;
    for (int bit = 0; bit < 8; ++bit) sum = (sum & 0x8000U) != 0 ? (sum << 1U) ^ 0x1021U : sum << 1U;
    sum &= 0xFFFFU;
  }
  return static_cast<std::uint16_t>(sum);
}

/// The line behind the one that has `title`.
std::string_view block(std::string_view text, std::string_view title) {
  std::size_t at = text.find(title);
  if (at == std::string_view::npos) return {};
  at = text.find('\n', at);
  if (at == std::string_view::npos) return {};
  const std::string_view line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  return line.substr(0, std::min(line.find_last_not_of(" \r") + 1, line.size()));
}

}  // namespace

Result<UserKey> UserKey::from(std::string_view text) {
  UserKey key;
  key.jwt_ = block(text, "BEGIN NATS USER JWT");
  const std::string_view seed = text.contains("BEGIN USER NKEY SEED") ? block(text, "BEGIN USER NKEY SEED") : text;
  const auto raw = from_base32(seed);
  if (!raw || raw->size() != raw_seed_bytes || (raw->at(0) & 0xF8U) != seed_prefix) return not_a_key();
  const unsigned kind = ((raw->at(0) & 7U) << 5U) | ((raw->at(1) & 0xF8U) >> 3U);
  const std::uint16_t sum = checksum(std::span(*raw).first(raw_seed_bytes - 2));
  const bool is_sound = raw->at(34) == (sum & 0xFFU) && raw->at(35) == sum >> 8U;
  if (kind != user_prefix || !is_sound) return not_a_key();
  std::copy_n(raw->begin() + 2, key.seed_.size(), key.seed_.begin());

  const Key pair(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, key.seed_.data(), key.seed_.size()));
  std::vector<std::uint8_t> shown(1 + 32 + 2);
  std::size_t size = 32;
  if (pair == nullptr || EVP_PKEY_get_raw_public_key(pair.get(), shown.data() + 1, &size) != 1) return not_a_key();
  shown[0] = user_prefix;
  const std::uint16_t shown_sum = checksum(std::span(shown).first(33));
  shown[33] = static_cast<std::uint8_t>(shown_sum & 0xFFU);
  shown[34] = static_cast<std::uint8_t>(shown_sum >> 8U);
  key.public_key_ = to_base32(shown);
  return key;
}

Result<std::string> UserKey::sign(std::string_view challenge) const {
  const Key pair(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed_.data(), seed_.size()));
  const std::unique_ptr<EVP_MD_CTX, FreeDigest> context(EVP_MD_CTX_new());
  std::array<std::uint8_t, 64> signature = {};
  std::size_t size = signature.size();
  const bool is_signed =
      pair != nullptr && context != nullptr &&
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, pair.get()) == 1 &&
      EVP_DigestSign(context.get(), signature.data(), &size, reinterpret_cast<const unsigned char*>(challenge.data()),
                     challenge.size()) == 1;
  if (!is_signed) return Error{Errc::unavailable, "The server's challenge could not be signed."};
  std::string text = to_base64(std::string(signature.begin(), signature.end()));
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text.substr(0, text.find('='));
}

}  // namespace makegood::nats
