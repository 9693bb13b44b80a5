
#include "makegood/idempotency.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "base/sealed_result.hpp"

namespace makegood {
namespace {

constexpr std::size_t key_bytes = 32;
constexpr std::size_t nonce_bytes = 12;
constexpr std::size_t tag_bytes = 16;
constexpr std::size_t id_bytes_max = 32;

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
int count_of(std::string_view text) { return static_cast<int>(text.size()); }

Error cannot_seal() { return {Errc::internal, "The answer could not be sealed."}; }
Error cannot_open(std::string_view why) { return {Errc::store_corrupt, fmt::format("The sealed answer {}.", why)}; }
Error bad_file(std::string sentence) { return {Errc::config_invalid, std::move(sentence)}; }

std::optional<std::string> from_hex(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    if (error != std::errc() || end != text.data() + i + 2) return {};
    bytes += static_cast<char>(value);
  }
  return bytes.size() == key_bytes && text.size() == 2 * key_bytes ? std::optional(bytes) : std::nullopt;
}

/// What it belongs to, each part with its length: an answer that is copied to another key does not open there.
std::string belonging(const IdempotencyKey& key, int status) {
  return fmt::format("{}:{}{}:{}{}:{}{}", key.tenant_id.size(), key.tenant_id, key.scope.size(), key.scope,
                     key.key.size(), key.key, status);
}

std::string with_length(const Snapshot& snapshot) {
  return fmt::format("{}:{}{}", snapshot.headers.size(), snapshot.headers, snapshot.body);
}

/// The other way round.
Result<Snapshot> without_length(const std::string& plain, int status) {
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), length);
  const auto colon = static_cast<std::size_t>(end - plain.data());
  if (error != std::errc() || colon + 1 + length > plain.size()) return cannot_open("is not whole");
  return Snapshot{
      .status = status, .headers = plain.substr(colon + 1, length), .body = plain.substr(colon + 1 + length)};
}

Result<std::string> encrypted(std::string_view key, std::string_view plain, std::string_view belongs) {
  std::string sealed(nonce_bytes + plain.size() + tag_bytes, '\0');
  const Cipher context(EVP_CIPHER_CTX_new());
  unsigned char* const nonce = bytes_of(sealed);
  unsigned char* const text = nonce + nonce_bytes;
  int count = 0;
  const bool is_done = context && RAND_bytes(nonce, nonce_bytes) == 1 &&
                       EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key), nonce) == 1 &&
                       EVP_EncryptUpdate(context.get(), nullptr, &count, bytes_of(belongs), count_of(belongs)) == 1 &&
                       EVP_EncryptUpdate(context.get(), text, &count, bytes_of(plain), count_of(plain)) == 1 &&
                       EVP_EncryptFinal_ex(context.get(), text + plain.size(), &count) == 1 &&
                       EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, tag_bytes, text + plain.size()) == 1;
  if (!is_done) return cannot_seal();
  return sealed;
}

Result<std::string> decrypted(std::string_view key, std::string sealed, std::string_view belongs) {
  if (sealed.size() < nonce_bytes + tag_bytes) return cannot_open("is too short");
  const std::size_t size = sealed.size() - nonce_bytes - tag_bytes;
  std::string plain(size, '\0');
  const Cipher context(EVP_CIPHER_CTX_new());
  unsigned char* const nonce = bytes_of(sealed);
  unsigned char* const text = nonce + nonce_bytes;
  int count = 0;
  const bool is_done = context &&
                       EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key), nonce) == 1 &&
                       EVP_DecryptUpdate(context.get(), nullptr, &count, bytes_of(belongs), count_of(belongs)) == 1 &&
                       EVP_DecryptUpdate(context.get(), bytes_of(plain), &count, text, static_cast<int>(size)) == 1 &&
                       EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, tag_bytes, text + size) == 1 &&
                       EVP_DecryptFinal_ex(context.get(), bytes_of(plain) + size, &count) == 1;
  if (!is_done) {
    return cannot_open("was changed, or is under another key of the same id, or belongs to another idempotency key");
  }
  return plain;
}

struct SealKey {
  std::string id;
  std::string bytes;
};

bool is_id(std::string_view text) {
  const auto is_sound = [](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z') ||
           letter == '-' || letter == '_' || letter == '.';
  };
  return !text.empty() && text.size() <= id_bytes_max && std::ranges::all_of(text, is_sound);
}

std::optional<SealKey> key_in(std::string_view line) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  auto bytes = from_hex(line.substr(std::min(blank + 1, line.size())));
  if (!bytes || !is_id(line.substr(0, blank))) return std::nullopt;
  return SealKey{std::string(line.substr(0, blank)), *std::move(bytes)};
}

/// Takes the first line away, without its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

class KeyedSeal final : public Seal {
 public:
  explicit KeyedSeal(std::vector<SealKey> keys) : keys_(std::move(keys)) {}

  Result<Snapshot> close(const Snapshot& answer, const IdempotencyKey& key) const override {
    const SealKey& current = keys_.front();
    std::string body = MAKEGOOD_TRY(encrypted(current.bytes, with_length(answer), belonging(key, answer.status)));
    return Snapshot{.status = answer.status, .headers = seal_mark(current.id), .body = std::move(body)};
  }

  Result<Snapshot> open(const Snapshot& sealed, const IdempotencyKey& key) const override {
    const std::string_view id = sealer_of(sealed);
    const auto known = std::ranges::find(keys_, id, &SealKey::id);
    if (known == keys_.end()) {
      return bad_file(
          fmt::format("The answer is sealed with the key {}, which is not in the seal file; put its line back.", id));
    }
    const std::string plain = MAKEGOOD_TRY(decrypted(known->bytes, sealed.body, belonging(key, sealed.status)));
    return without_length(plain, sealed.status);
  }

 private:
  const std::vector<SealKey> keys_;
};

}  // namespace

Result<std::shared_ptr<const Seal>> parse_seal(std::string_view text, std::string_view origin) {
  std::vector<SealKey> keys;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty() || line.starts_with('#')) continue;
    auto key = key_in(line);
    if (!key) {
      return bad_file(
          fmt::format("{} has a line that is not `ID KEY` with 64 hexadecimal digits; make one with: "
                      "echo \"1 $(openssl rand -hex 32)\"",
                      origin));
    }
    if (std::ranges::find(keys, key->id, &SealKey::id) != keys.end()) {
      return bad_file(fmt::format("{} has the key {} twice; a new key needs a new id.", origin, key->id));
    }
    keys.push_back(*std::move(key));
  }
  if (keys.empty()) return bad_file(fmt::format("{} has no key.", origin));
  return std::shared_ptr<const Seal>(std::make_shared<const KeyedSeal>(std::move(keys)));
}

Result<std::shared_ptr<const Seal>> read_seal(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) return bad_file(fmt::format("The seal file {} cannot be read.", file));
  return parse_seal(text, file);
}

}  // namespace makegood
