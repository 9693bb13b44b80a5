#include "transports/http/base64.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <limits>

#include "makegood/assert.hpp"

namespace makegood::http {
namespace {

bool is_base64_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
}

}  // namespace

void append_base64(std::string& text, std::string_view bytes) {
  MAKEGOOD_ASSERT(bytes.size() < std::numeric_limits<int>::max() / 2);
  const std::size_t begin = text.size();
  const std::size_t length = (bytes.size() + 2) / 3 * 4;
  text.resize(begin + length + 1);  // OpenSSL ends it with a zero.
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data() + begin), octets_of(bytes),
                  static_cast<int>(bytes.size()));
  text.resize(begin + length);
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0 || text.size() > std::numeric_limits<int>::max() / 2) return std::nullopt;
  const std::size_t letters = std::min(text.find('='), text.size());
  const std::size_t padding = text.size() - letters;
  // OpenSSL would skip spaces around it and take padding for zeros.
  if (padding > 2 || !std::ranges::all_of(text.substr(0, letters), is_base64_letter)) return std::nullopt;
  if (text.substr(letters).find_first_not_of('=') != std::string_view::npos) return std::nullopt;
  std::string bytes(text.size() / 4 * 3, '\0');
  const int length =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), octets_of(text), static_cast<int>(text.size()));
  if (length < 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(length) - padding);
  return bytes;
}

}  // namespace makegood::http
