// Base 64 with padding, as in RFC 4648 section 4.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace makegood::http {

/// The same bytes, as OpenSSL wants them.
inline const unsigned char* octets_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

void append_base64(std::string& text, std::string_view bytes);
/// Nothing when it is not base 64 with its padding.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace makegood::http
