#include "base/log_row.hpp"

namespace makegood {

/// Room first: the buffer must not grow once a view of it is taken.
void own(Message& message, std::span<const MessageText> texts) {
  std::size_t bytes = 0;
  for (const MessageText& text : texts) bytes += text.source.size();
  message.buffer.reserve(bytes);
  for (const MessageText& text : texts) {
    if (text.source.empty()) continue;
    const std::size_t at = message.buffer.size();
    message.buffer.append(text.source);
    message.*text.field = {message.buffer.data() + at, text.source.size()};
  }
}

std::string_view default_content_type(bool is_json) {
  return is_json ? "application/json" : "application/octet-stream";
}

}  // namespace makegood
