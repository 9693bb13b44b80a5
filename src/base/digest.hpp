// Texts that stand for others without telling them.
#pragma once

#include <string>
#include <string_view>

namespace makegood {

/// 16 hexadecimal digits of the SHA-256 of `text`.
std::string short_digest(std::string_view text);
/// 64 of them: all of it.
std::string long_digest(std::string_view text);
/// The 32 bytes of the HMAC-SHA256, as RFC 2104 has it.
std::string hmac_sha256(std::string_view key, std::string_view text);

}  // namespace makegood
