#include "cli/url_text.hpp"

#include <fmt/format.h>

namespace makegood::cli {
namespace {

bool stands_for_itself(char letter) {
  const bool is_alphanumeric =
      (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
  return is_alphanumeric || std::string_view("-._~:").find(letter) != std::string_view::npos;
}

}  // namespace

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char letter : text) {
    if (stands_for_itself(letter)) {
      encoded += letter;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
    }
  }
  return encoded;
}

Query& Query::add(std::string_view name, std::string_view value) {
  if (value.empty()) return *this;
  if (!text_.empty()) text_ += '&';
  text_ += fmt::format("{}={}", name, percent_encoded(value));
  return *this;
}

}  // namespace makegood::cli
