#include "bench/sink/request.hpp"

#include <algorithm>
#include <charconv>

namespace makegood::bench {
namespace {

/// `b` is in lower case.
bool is_same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower);
}

/// The value of a header, or empty. Names at the start of a line only; `head` ends with the empty line.
std::string_view header(std::string_view head, std::string_view name) {
  for (std::size_t line = head.find("\r\n"); line != std::string_view::npos;) {
    const std::size_t begin = line + 2;
    const std::size_t end = head.find("\r\n", begin);
    if (end == std::string_view::npos) return {};
    if (end - begin > name.size() && head[begin + name.size()] == ':' &&
        is_same_name(head.substr(begin, name.size()), name)) {
      const std::size_t value = head.find_first_not_of(' ', begin + name.size() + 1);
      return head.substr(value, end - value);
    }
    line = end;
  }
  return {};
}

std::size_t number(std::string_view text) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string_view path_of(std::string_view head) {
  const std::size_t begin = head.find(' ') + 1;
  return head.substr(begin, head.find(' ', begin) - begin);
}

}  // namespace

std::optional<SinkRequest> first_request(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view head = bytes.substr(0, end + 4);
  const std::size_t size = head.size() + number(header(head, "content-length"));
  if (bytes.size() < size) return std::nullopt;
  return SinkRequest{.path = path_of(head), .head = head, .size = size};
}

std::string_view event_id_of(const SinkRequest& request) {
  for (const std::string_view name : {"webhook-id", "ce-id", "idempotency-key"}) {
    if (const std::string_view id = header(request.head, name); !id.empty()) return id;
  }
  return {};
}

Manner manner_of(std::string_view path) {
  constexpr std::string_view after = "/after/";
  if (path.starts_with(after))
    return {.kind = Manner::Kind::after, .delay = std::chrono::milliseconds(number(path.substr(after.size())))};
  if (path.starts_with("/hang")) return {.kind = Manner::Kind::never};
  if (path.starts_with("/arrivals")) return {.kind = Manner::Kind::arrivals};
  return {.is_noted = path.starts_with("/noted")};
}

}  // namespace makegood::bench
