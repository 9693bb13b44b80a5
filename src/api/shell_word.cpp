#include "api/shell_word.hpp"

#include <string_view>

namespace makegood::api {

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:/@%+,=";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string whole = "'";
  for (const char each : text) whole += each == '\'' ? std::string("'\\''") : std::string(1, each);
  return whole + "'";
}

}  // namespace makegood::api
