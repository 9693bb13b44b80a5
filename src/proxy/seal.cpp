#include "proxy/seal.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include "base/json.hpp"

namespace makegood::proxy {
namespace {

constexpr std::size_t key_bytes = 32;
constexpr std::size_t nonce_bytes = 12;
constexpr std::size_t tag_bytes = 16;
/// What sealing adds, at most.
constexpr std::size_t seal_bytes = 256;
constexpr std::string_view member_name = "sealed";

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
int count_of(std::string_view text) { return static_cast<int>(text.size()); }

Error cannot_seal() { return {Errc::internal, "The answer could not be sealed."}; }
Error cannot_open(std::string_view why) { return {Errc::store_corrupt, fmt::format("A sealed answer {}.", why)}; }

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

std::string sealed_by(std::string_view id) {
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  writer.StartObject();
  json::write(writer, member_name, id);
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

/// Empty: it is not sealed.
std::string sealer_of(const std::string& headers) {
  if (!headers.starts_with('{')) return {};
  const auto parsed = json::parse_object(headers);
  const json::Value* id = parsed ? json::member(*parsed, member_name.data()) : nullptr;
  return id != nullptr && id->IsString() ? json::text_of(*id) : std::string();
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
  if (!is_done) return cannot_open("was changed, or belongs to another key");
  return plain;
}

}  // namespace

Result<Seal> Seal::parse(std::string_view text, const std::string& file) {
  Seal seal;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t blank = line.find(' ');
    const auto bytes = blank == line.npos ? std::nullopt : from_hex(line.substr(blank + 1));
    const bool is_good = bytes && blank > 0 && blank <= 32;
    if (!is_good) {
      return Error{Errc::config_invalid,
                   fmt::format("{} has a line that is not `ID KEY` with 64 hexadecimal digits; make "
                               "one with: echo \"1 $(openssl rand -hex 32)\"",
                               file)};
    }
    seal.keys_.push_back({std::string(line.substr(0, blank)), *bytes});
  }
  if (seal.keys_.empty()) return Error{Errc::config_invalid, fmt::format("{} has no key.", file)};
  return seal;
}

Result<StoredResult> Seal::close(StoredResult result, const IdempotencyKey& key, std::size_t bytes_max) const {
  if (!result.snapshot) return result;
  Snapshot& snapshot = *result.snapshot;
  if (snapshot.headers.size() + snapshot.body.size() + seal_bytes > bytes_max) {
    snapshot.body.clear();
    result.is_truncated = true;
  }
  const Key& current = keys_.front();
  snapshot.body = MAKEGOOD_TRY(encrypted(current.bytes, with_length(snapshot), belonging(key, snapshot.status)));
  snapshot.headers = sealed_by(current.id);
  return result;
}

Result<StoredResult> Seal::open(StoredResult result, const IdempotencyKey& key) const {
  const std::string id = result.snapshot ? sealer_of(result.snapshot->headers) : std::string();
  if (id.empty()) return result;
  Snapshot& snapshot = *result.snapshot;
  const auto known = std::ranges::find(keys_, id, &Key::id);
  if (known == keys_.end()) return cannot_open("is under a key that is not in the file");
  const std::string plain =
      MAKEGOOD_TRY(decrypted(known->bytes, std::move(snapshot.body), belonging(key, snapshot.status)));
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), length);
  const auto colon = static_cast<std::size_t>(end - plain.data());
  if (error != std::errc() || colon + 1 + length > plain.size()) return cannot_open("is not whole");
  snapshot.headers = plain.substr(colon + 1, length);
  snapshot.body = plain.substr(colon + 1 + length);
  return result;
}

}  // namespace makegood::proxy
