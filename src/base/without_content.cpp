#include "base/without_content.hpp"

#include <algorithm>

namespace makegood {
namespace {

/// Shorter contents, such as `{}` or `1`, appear in harmless texts too.
constexpr std::size_t telling_bytes_min = 8;
/// So much of its beginning is a quotation, even if it was cut short.
constexpr std::size_t quoted_bytes_min = 24;

}  // namespace

std::string without_content(std::string_view text, std::string_view content) {
  if (content.size() < telling_bytes_min) return std::string(text);
  const std::string_view beginning = content.substr(0, quoted_bytes_min);
  std::string shown;
  for (auto at = text.find(beginning); at != std::string_view::npos; at = text.find(beginning)) {
    shown.append(text.substr(0, at)).append("[payload]");
    text.remove_prefix(at);
    const auto* const differs = std::ranges::mismatch(text, content).in1;
    text.remove_prefix(static_cast<std::size_t>(differs - text.begin()));
  }
  return shown.append(text);
}

}  // namespace makegood
