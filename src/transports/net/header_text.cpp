#include "transports/net/header_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/header_rules.hpp"

namespace makegood::net {
namespace {

/// Which bytes stay as they are.
using Plain = std::array<bool, 256>;

constexpr Plain plain_in_headers() {
  Plain plain = {};
  for (unsigned c = 0x21; c <= 0x7E; ++c) plain.at(c) = c != '"' && c != '%';
  return plain;
}

constexpr Plain plain_in_webhook_ids() {
  Plain plain = plain_in_headers();
  plain.at('.') = false;
  return plain;
}

constexpr Plain plain_in_segments() {
  Plain plain = {};
  for (unsigned c = 'a'; c <= 'z'; ++c) plain.at(c) = plain.at(c - 'a' + 'A') = true;
  for (unsigned c = '0'; c <= '9'; ++c) plain.at(c) = true;
  for (const unsigned c : {0x2DU, 0x2EU, 0x5FU, 0x7EU}) plain.at(c) = true;  // -._~
  return plain;
}

/// In whole runs: nearly every text is plain from end to end.
void append_encoded(std::string& text, std::string_view value, const Plain& plain) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto is_plain = [&](char c) { return plain[static_cast<unsigned char>(c)]; };
  while (true) {
    const auto run = static_cast<std::size_t>(std::ranges::find_if_not(value, is_plain) - value.begin());
    text.append(value.substr(0, run));
    if (run == value.size()) return;
    const auto byte = static_cast<unsigned char>(value[run]);
    text += '%';
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
    value.remove_prefix(run + 1);
  }
}

}  // namespace

bool is_header_value(std::string_view value) {
  return value.size() <= header_value_bytes_max &&
         std::ranges::all_of(value, [](char c) { return c >= 0x20 && c <= 0x7E; });
}

std::string_view trimmed(std::string_view value) {
  const std::size_t first = value.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return value.substr(first, value.find_last_not_of(' ') - first + 1);
}

void append_header_text(std::string& text, std::string_view value) {
  static constexpr Plain plain = plain_in_headers();
  append_encoded(text, value, plain);
}

std::string decoded_header_text(std::string_view text) {
  std::string decoded;
  while (!text.empty()) {
    unsigned byte = 0;
    const char* const end = text.data() + std::min<std::size_t>(text.size(), 3);
    const bool is_encoded =
        text.size() >= 3 && text[0] == '%' && std::from_chars(text.data() + 1, end, byte, 16).ptr == end;
    decoded += is_encoded ? static_cast<char>(byte) : text[0];
    text.remove_prefix(is_encoded ? 3 : 1);
  }
  return decoded;
}

void append_webhook_id(std::string& text, std::string_view event_id) {
  static constexpr Plain plain = plain_in_webhook_ids();
  append_encoded(text, event_id, plain);
}

void append_path_segment(std::string& text, std::string_view segment) {
  static constexpr Plain plain = plain_in_segments();
  append_encoded(text, segment, plain);
}

}  // namespace makegood::net
