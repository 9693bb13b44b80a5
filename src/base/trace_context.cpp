#include "base/trace_context.hpp"

#include <algorithm>
#include <cstddef>

namespace makegood {
namespace {

constexpr std::size_t traceparent_bytes = 55;  ///< Of version 00, and at least of later ones.
constexpr std::size_t traceparent_rest_max = 200;

bool is_lower_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_all_zeros(std::string_view text) { return text.find_first_not_of('0') == std::string_view::npos; }

bool is_printable_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

/// The first version ends where it ends; what a later one may add is not known here, but that it begins with a dash.
bool is_end_of_version(std::string_view rest, std::string_view version) {
  if (rest.empty()) return true;
  return version != "00" && rest.front() == '-' && rest.size() <= traceparent_rest_max && is_printable_ascii(rest);
}

}  // namespace

bool is_traceparent(std::string_view text) {
  if (text.size() < traceparent_bytes || text[2] != '-' || text[35] != '-' || text[52] != '-') return false;
  const std::string_view version = text.substr(0, 2);
  const std::string_view trace = text.substr(3, 32);
  const std::string_view parent = text.substr(36, 16);
  return is_lower_hex(version) && version != "ff" && is_end_of_version(text.substr(traceparent_bytes), version) &&
         is_lower_hex(trace) && is_lower_hex(parent) && is_lower_hex(text.substr(53, 2)) && !is_all_zeros(trace) &&
         !is_all_zeros(parent);
}

}  // namespace makegood
