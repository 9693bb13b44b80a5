#include "base/header_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace makegood {
namespace {

constexpr std::array<bool, 256> token_letters() {
  std::array<bool, 256> is_letter = {};
  for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    is_letter.at(static_cast<unsigned char>(c)) = true;
  }
  return is_letter;
}

template <class... Values>
Error unfit(fmt::format_string<Values...> sentence, Values&&... values) {
  return {Errc::invalid, fmt::format(sentence, std::forward<Values>(values)...)};
}

}  // namespace

bool is_header_name(std::string_view name) {
  static constexpr auto is_letter = token_letters();
  return !name.empty() && name.size() <= header_name_bytes_max &&
         std::ranges::all_of(name, [](char c) { return is_letter[static_cast<unsigned char>(c)]; });
}

std::string_view shown_header_name(std::string_view name) { return is_header_name(name) ? name : "(a name)"; }

/// To the end in any case: without a way out in the middle the compiler looks at many at once.
bool is_printable(std::string_view text) {
  bool has_other = false;
  for (const char c : text) has_other |= static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  return !has_other;
}

Result<> HeaderCheck::take(std::string_view name, std::string_view value) {
  if (!is_header_name(name)) {
    return unfit(
        "The name of one of the message's headers is none; allowed: letters, digits and !#$%&'*+-.^_`|~, at most {} "
        "bytes.",
        header_name_bytes_max);
  }
  if (value.size() > header_value_bytes_max || !is_printable(value)) {
    return unfit("The message's header {} has a value that is not allowed: at most {} bytes, no control characters.",
                 name, header_value_bytes_max);
  }
  ++count_;
  bytes_ += name.size() + value.size();
  if (count_ <= headers_max && bytes_ <= headers_bytes_max) return {};
  return unfit("The message has too many headers; allowed: {}, with {} bytes in all.", headers_max, headers_bytes_max);
}

}  // namespace makegood
