#include "api/path.hpp"

#include <rapidjson/encodings.h>
#include <rapidjson/memorystream.h>

namespace makegood::api {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool is_utf8(std::string_view text) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  while (stream.Tell() < text.size()) {
    unsigned code_point = 0;
    if (!rapidjson::UTF8<>::Decode(stream, &code_point)) return false;
  }
  return true;
}

std::optional<std::string> percent_decoded(std::string_view text, Plus plus) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+' && plus == Plus::is_blank) {
      decoded += ' ';
    } else if (text[at] != '%') {
      decoded += text[at];
    } else {
      if (at + 2 >= text.size()) return std::nullopt;
      const int high = hex_value(text[at + 1]);
      const int low = hex_value(text[at + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      decoded += static_cast<char>(high * 16 + low);
      at += 2;
    }
  }
  if (!is_utf8(decoded)) return std::nullopt;
  return decoded;
}

}  // namespace makegood::api
