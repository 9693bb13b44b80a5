#include "server/answer_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <utility>

#include "makegood/id.hpp"

namespace makegood::server {
namespace {

constexpr std::size_t request_id_bytes_max = 128;
constexpr int no_content = 204;

constexpr std::array<std::pair<int, std::string_view>, 27> reasons = {{
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
}};

/// A header of ours never ends before its line does.
std::string_view one_line(std::string_view value) { return value.substr(0, value.find_first_of("\r\n")); }

void append_header(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(": ").append(one_line(value)).append("\r\n");
}

void append_frame(std::string& text, const AnswerFrame& frame) {
  append_header(text, "Date", frame.date);
  append_header(text, "X-Request-Id", frame.request_id);
  text += "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n";
  if (frame.is_last) text += "Connection: close\r\n";
}

}  // namespace

std::string_view reason_of(int status) {
  const auto* const found = std::ranges::find(reasons, status, &std::pair<int, std::string_view>::first);
  return found == reasons.end() ? std::string_view("Unknown") : found->second;
}

std::string answer_text(const api::Answer& answer, const AnswerFrame& frame) {
  std::string text;
  text.reserve(512 + answer.body.size());
  fmt::format_to(std::back_inserter(text), "HTTP/1.1 {} {}\r\n", answer.status, reason_of(answer.status));
  if (answer.status != no_content) {
    append_header(text, "Content-Type", answer.content_type);
    fmt::format_to(std::back_inserter(text), "Content-Length: {}\r\n", answer.body.size());
  }
  append_frame(text, frame);
  for (const auto& [name, value] : answer.headers) append_header(text, name, value);
  text += "\r\n";
  if (!frame.is_head) text += answer.body;
  return text;
}

std::string stream_head(const AnswerFrame& frame) {
  std::string text = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Accel-Buffering: no\r\n";
  append_frame(text, frame);
  return text + "\r\n";
}

std::string http_date(std::int64_t seconds) {
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string request_id_from(std::string_view given) {
  const auto is_harmless = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || std::string_view("-_.:/+=").contains(letter);
  };
  const bool is_good =
      !given.empty() && given.size() <= request_id_bytes_max && std::ranges::all_of(given, is_harmless);
  return is_good ? std::string(given) : new_ulid();
}

}  // namespace makegood::server
