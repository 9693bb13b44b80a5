#include "base/base64.hpp"

#include <array>
#include <cstdint>

namespace makegood {
namespace {

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 0xFF;

constexpr std::array<std::uint8_t, 256> base64_values = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(no_digit);
  for (std::size_t i = 0; i < base64_digits.size(); ++i) {
    values[static_cast<unsigned char>(base64_digits[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}();

std::uint32_t octet(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::uint32_t group = octet(bytes, at) << 16U | octet(bytes, at + 1) << 8U | octet(bytes, at + 2);
    const std::size_t given = std::min<std::size_t>(bytes.size() - at, 3);
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= given ? base64_digits[group >> (18U - 6U * i) & 63U] : '=';
    }
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text, bool may_have_rest) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string_view digits = text;
  for (int padding = 0; padding < 2 && digits.ends_with('='); ++padding) digits.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (const char digit : digits) {
    const std::uint8_t value = base64_values[static_cast<unsigned char>(digit)];
    if (value == no_digit) return std::nullopt;
    group = (group << 6U | value) & 0xFFFU;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 0xFFU);
  }
  const std::uint32_t rest = group & ((1U << bits) - 1U);
  if (rest != 0 && !may_have_rest) return std::nullopt;  // Two texts for the same bytes are one too many.
  return bytes;
}

}  // namespace makegood
