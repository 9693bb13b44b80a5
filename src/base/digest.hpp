// Texts that stand for others without telling them.
#pragma once

#include <string>
#include <string_view>

namespace makegood {

/// 16 hexadecimal digits of the SHA-256 of `text`.
std::string short_digest(std::string_view text);
/// All 64 of them.
std::string sha256_digest(std::string_view text);

}  // namespace makegood
