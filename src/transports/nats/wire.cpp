#include "transports/nats/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/json.hpp"
#include "base/seed.hpp"
#include "transports/nats/user_key.hpp"
#include "transports/net/header_text.hpp"

namespace makegood::nats {
namespace {

constexpr std::string_view header_begin = "NATS/1.0";
/// A line of the server: its INFO is the longest.
constexpr std::size_t line_bytes_max = std::size_t{1} << 20;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(line.size(), end + 1));
  }
  return words;
}

template <class Number>
bool read_number(std::string_view digits, Number& number) {
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return failed == std::errc() && end == digits.data() + digits.size();
}

/// MSG subject sid [reply] bytes, or HMSG subject sid [reply] header-bytes bytes.
Result<std::optional<Piece>> parse_message(std::string_view bytes, std::string_view line, std::size_t bytes_max) {
  const bool has_header = line.starts_with("HMSG ");
  const auto words = words_of(line);
  const std::size_t least = has_header ? 5 : 4;
  std::size_t header_bytes = 0;
  std::size_t total_bytes = 0;
  if (words.size() < least || words.size() > least + 1 || !read_number(words.back(), total_bytes) ||
      (has_header && !read_number(words[words.size() - 2], header_bytes)) || header_bytes > total_bytes ||
      total_bytes > bytes_max) {
    return garbled();
  }
  const std::size_t begin = line.size() + line_end.size();
  const std::size_t whole = begin + total_bytes + line_end.size();
  if (bytes.size() < whole) return std::optional<Piece>();
  Message message{.subject = words[1],
                  .reply = words.size() > least ? words[3] : std::string_view(),
                  .header = bytes.substr(begin, header_bytes),
                  .content = bytes.substr(begin + header_bytes, total_bytes - header_bytes)};
  return std::optional(Piece{.line = line, .message = message, .bytes = whole});
}

}  // namespace

std::int64_t number_in(std::string_view digits) {
  std::int64_t number = 0;
  return read_number(digits, number) ? number : 0;
}

Error garbled() { return {Errc::unavailable, "It does not speak the protocol of NATS."}; }

Result<std::optional<Piece>> parse_piece(std::string_view bytes, std::size_t message_bytes_max) {
  const std::size_t end = bytes.find(line_end);
  if (end == std::string_view::npos) {
    if (bytes.size() > line_bytes_max) return garbled();
    return std::optional<Piece>();
  }
  const std::string_view line = bytes.substr(0, end);
  if (line.starts_with("MSG ") || line.starts_with("HMSG ")) return parse_message(bytes, line, message_bytes_max);
  return std::optional(Piece{.line = line, .bytes = end + line_end.size()});
}

int status_of(std::string_view header) {
  if (!header.starts_with(header_begin)) return 0;
  const std::string_view first = header.substr(0, header.find(line_end));
  int status = 0;
  if (first.size() < header_begin.size() + 4) return 0;
  return read_number(first.substr(header_begin.size() + 1, 3), status) ? status : 0;
}

std::vector<std::pair<std::string_view, std::string_view>> headers_in(std::string_view header) {
  std::vector<std::pair<std::string_view, std::string_view>> headers;
  header.remove_prefix(std::min(header.size(), header.find(line_end)));
  while (header.starts_with(line_end)) {
    header.remove_prefix(line_end.size());
    const std::string_view line = header.substr(0, header.find(line_end));
    header.remove_prefix(line.size());
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && colon > 0) {
      headers.emplace_back(line.substr(0, colon), net::trimmed(line.substr(colon + 1)));
    }
  }
  return headers;
}

std::string new_inbox() {
  return fmt::format("_INBOX.makegood{:016x}{:016x}.", seed_of_the_system(), seed_of_the_system());
}

Result<bool> Greeting::take_line(std::string_view line, std::string_view inbox, std::string& outgoing) {
  if (line.starts_with("-ERR")) return false;
  if (line.starts_with("INFO ")) {
    MAKEGOOD_TRY(take_info(line.substr(5), inbox, outgoing));
    return true;
  }
  if (line == "PING") outgoing += "PONG\r\n";
  if (line == "PONG") is_ready_ = true;  // The answer to the one behind CONNECT.
  if (line == "PING" || line == "PONG" || line == "+OK") return true;
  return garbled();
}

/// The first one is the server's greeting, and is answered. Later ones tell of changes in its cluster.
Result<> Greeting::take_info(std::string_view text, std::string_view inbox, std::string& outgoing) {
  const auto info = json::parse_object(text);
  if (!info) return garbled();
  const auto max_payload = json::number_in(*info, "max_payload", 0);
  if (max_payload && *max_payload > 0) content_bytes_max_ = static_cast<std::size_t>(*max_payload);
  if (has_info_) return {};
  has_info_ = true;
  const auto has_headers = json::flag_in(*info, "headers", false);
  if (!has_headers || !*has_headers)
    return Error{Errc::unavailable, "The server is older than 2.2: it has no headers."};
  const auto nonce = json::text_in(*info, "nonce");
  outgoing += fmt::format("CONNECT {}\r\nSUB {}* 1\r\nPING\r\n",
                          MAKEGOOD_TRY(connect_options(nonce ? *nonce : std::string())), inbox);
  credentials_.clear();
  return {};
}

Result<std::string> Greeting::connect_options(std::string_view nonce) const {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  writer.StartObject();
  for (const char* const flag : {"headers", "no_responders"}) json::write(writer, flag, true);
  for (const char* const flag : {"verbose", "pedantic", "echo"}) json::write(writer, flag, false);
  json::write(writer, "protocol", std::int64_t{1});
  json::write(writer, "lang", std::string_view("makegood"));
  json::write(writer, "version", std::string_view(MAKEGOOD_VERSION));
  json::write(writer, "name", std::string_view("makegood"));
  if (!username_.empty()) json::write(writer, "user", std::string_view(username_));
  if (const auto found = credentials_.find("password"); found != credentials_.end()) {
    json::write(writer, "pass", std::string_view(found->second));
  }
  if (const auto found = credentials_.find("token"); found != credentials_.end()) {
    json::write(writer, "auth_token", std::string_view(found->second));
  }
  if (const auto found = credentials_.find("user_key"); found != credentials_.end()) {
    const UserKey key = MAKEGOOD_TRY(UserKey::from(found->second));
    const bool has_token = !key.jwt().empty();
    const std::string signature = MAKEGOOD_TRY(key.sign(nonce));
    json::write(writer, has_token ? "jwt" : "nkey", std::string_view(has_token ? key.jwt() : key.public_key()));
    json::write(writer, "sig", std::string_view(signature));
  }
  writer.EndObject();
  return std::string(text.GetString(), text.GetSize());
}

}  // namespace makegood::nats
