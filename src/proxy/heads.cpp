#include "proxy/heads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace makegood::proxy {
namespace {

constexpr auto hop_by_hop =
    std::to_array<std::string_view>({"connection", "keep-alive", "proxy-connection", "proxy-authenticate",
                                     "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade"});
constexpr std::string_view forwarded_for = "X-Forwarded-For";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// What the headers `Connection` name, in any case.
std::vector<std::string_view> named_by_connection(const Headers& headers) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : headers) {
    if (!is_same_name(name, "connection")) continue;
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      names.push_back(trimmed(rest.substr(0, comma)));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return names;
}

void append(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(": ").append(value).append("\r\n");
}

void append_framing(std::string& text, const Framing& framing) {
  switch (framing.kind) {
    case Framing::Kind::none:
      return;
    case Framing::Kind::length:
      fmt::format_to(std::back_inserter(text), "Content-Length: {}\r\n", framing.length);
      return;
    case Framing::Kind::chunks:
      return append(text, "Transfer-Encoding", "chunked");
  }
}

/// The client's address behind those that others have put there.
std::string chain_of(const RequestHead& head) {
  std::string chain;
  for (const auto& [name, value] : head.headers) {
    if (is_same_name(name, forwarded_for)) chain.append(chain.empty() ? "" : ", ").append(value);
  }
  return chain.append(chain.empty() ? "" : ", ").append(head.peer);
}

bool is_ours_to_write(std::string_view name, bool is_keyed) {
  if (is_same_name(name, "expect") || is_same_name(name, forwarded_for)) return true;
  return is_keyed && is_same_name(name, "accept-encoding");
}

}  // namespace

Headers end_to_end(const Headers& headers) {
  const auto named = named_by_connection(headers);
  Headers kept;
  kept.reserve(headers.size());
  for (const auto& [name, value] : headers) {
    if (is_one_of(name, hop_by_hop) || is_one_of(name, named) || is_same_name(name, "content-length")) continue;
    kept.emplace_back(name, value);
  }
  return kept;
}

std::string request_text(const RequestHead& head, const Framing& framing, bool is_keyed) {
  std::string text;
  text.reserve(512);
  text.append(head.method).append(" ").append(head.target).append(" HTTP/1.1\r\n");
  for (const auto& [name, value] : end_to_end(head.headers)) {
    if (!is_ours_to_write(name, is_keyed)) append(text, name, value);
  }
  // A host that `Connection` names is still the host.
  const std::string* host = only_header(head.headers, "host");
  if (host != nullptr && is_one_of("host", named_by_connection(head.headers))) append(text, "Host", *host);
  if (is_keyed) append(text, "Accept-Encoding", "identity");
  append(text, forwarded_for, chain_of(head));
  append(text, "Via", "1.1 makegood");
  append_framing(text, framing);
  return text.append("\r\n");
}

std::string answer_text(int status, std::string_view reason, const Headers& headers, const AnswerFrame& frame) {
  std::string text;
  text.reserve(512);
  fmt::format_to(std::back_inserter(text), "HTTP/1.1 {} {}\r\n", status, reason);
  for (const auto& [name, value] : headers) append(text, name, value);
  append_framing(text, frame.framing);
  if (frame.is_last) append(text, "Connection", "close");
  return text.append("\r\n");
}

std::string chunk_of(std::string_view piece) {
  std::string text = fmt::format("{:x}\r\n", piece.size());
  return text.append(piece).append("\r\n");
}

bool has_body(int status) { return status >= 200 && status != 204 && status != 304; }

}  // namespace makegood::proxy
