#include "proxy/answer_reader.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace makegood::proxy {
namespace {

using server::error_code;

std::string_view view(boost::string_view text) { return {text.data(), text.size()}; }

}  // namespace

AnswerReader::AnswerReader(std::size_t header_bytes_max, bool is_without_body) {
  parser_.header_limit(static_cast<std::uint32_t>(header_bytes_max));
  parser_.body_limit(std::numeric_limits<std::uint64_t>::max());
  parser_.skip(is_without_body);
}

std::size_t AnswerReader::feed(std::string_view bytes) {
  std::size_t taken = 0;
  const bool was_head_done = is_head_done();
  while (!is_done() && !is_wrong_ && taken < bytes.size() && is_head_done() == was_head_done) {
    error_code error;
    taken += parser_.put(server::net::buffer(bytes.data() + taken, bytes.size() - taken), error);
    if (error == server::http::error::need_more) break;
    is_wrong_ = static_cast<bool>(error);
  }
  if (!was_head_done && is_head_done()) is_wrong_ = is_wrong_ || is_framed_twice();
  return taken;
}

void AnswerReader::feed_end() {
  error_code error;
  parser_.put_eof(error);
  is_wrong_ = is_wrong_ || error || !is_done();
}

/// Who reads it in another way than we do would take a part of it for the next answer.
bool AnswerReader::is_framed_twice() const {
  const auto& head = parser_.get();
  const std::size_t codings = head.count(server::http::field::transfer_encoding);
  if (codings == 0) return false;
  const bool is_plain = boost::beast::iequals(head[server::http::field::transfer_encoding], "chunked");
  return codings > 1 || !is_plain || head.count(server::http::field::content_length) > 0;
}

AnswerHead AnswerReader::head() const {
  AnswerHead head{.status = status(), .reason = std::string(view(parser_.get().reason()))};
  for (const auto& field : parser_.get()) {
    head.headers.emplace_back(std::string(view(field.name_string())), std::string(view(field.value())));
  }
  if (const auto length = parser_.content_length()) head.length = *length;
  return head;
}

std::optional<Duration> AnswerReader::keep_alive_time() const {
  constexpr std::string_view word = "timeout=";
  const std::string_view text = view(parser_.get()[server::http::field::keep_alive]);
  const std::size_t place = text.find(word);
  if (place == text.npos) return {};
  std::int64_t seconds = 0;
  const char* const begin = text.data() + place + word.size();
  if (std::from_chars(begin, text.data() + text.size(), seconds).ec != std::errc()) return {};
  return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, 3600));
}

}  // namespace makegood::proxy
