#include "server/request_reader.hpp"

#include <fmt/format.h>

namespace makegood::server {
namespace {

std::string_view view(boost::string_view text) { return {text.data(), text.size()}; }

api::Answer answer_to(const error_code& error, std::size_t header_bytes_max, std::size_t body_bytes_max) {
  if (error == http::error::header_limit) {
    return api::problem(431, {Errc::invalid, fmt::format("The header is above {} bytes.", header_bytes_max)});
  }
  if (error == http::error::body_limit) {
    return api::problem(413, {Errc::payload_too_large, fmt::format("The body is above {} bytes.", body_bytes_max)});
  }
  if (error == http::error::bad_version) {
    return api::problem(505, {Errc::invalid, "Only HTTP/1.1 and HTTP/1.0 are spoken here."});
  }
  return api::problem(400, {Errc::invalid, fmt::format("This is not HTTP/1.1: {}.", error.message())});
}

api::Answer ambiguous(std::string_view sentence) { return api::problem(400, {Errc::invalid, std::string(sentence)}); }

bool is_word_chunked(boost::string_view codings) { return boost::beast::iequals(codings, "chunked"); }

}  // namespace

RequestReader::RequestReader(std::size_t header_bytes_max, std::size_t body_bytes_max)
    : header_bytes_max_(header_bytes_max), body_bytes_max_(body_bytes_max) {
  parser_.header_limit(static_cast<std::uint32_t>(header_bytes_max));
  parser_.body_limit(body_bytes_max);
}

std::size_t RequestReader::feed(std::string_view bytes) {
  std::size_t taken = 0;
  const bool was_header_done = is_header_done();
  while (!is_done() && !mistake_ && taken < bytes.size() && is_header_done() == was_header_done) {
    error_code error;
    const std::size_t count = parser_.put(net::buffer(bytes.data() + taken, bytes.size() - taken), error);
    if (!was_header_done) take_header(bytes.substr(taken, count));
    taken += count;
    // The parser limits what it has not taken yet; this is about all of it.
    if (header_bytes_ > header_bytes_max_) error = http::error::header_limit;
    if (error == http::error::need_more) break;
    if (error) mistake_ = answer_to(error, header_bytes_max_, body_bytes_max_);
  }
  if (mistake_ || was_header_done || !is_header_done()) return taken;
  if (const std::string_view sentence = framing_mistake(); !sentence.empty()) mistake_ = ambiguous(sentence);
  return taken;
}

/// The parser takes whole lines with all that is folded into them, and tells nobody that they were folded.
void RequestReader::take_header(std::string_view bytes) {
  header_bytes_ += bytes.size();
  is_folded_ = is_folded_ || bytes.find("\n ") != bytes.npos || bytes.find("\n\t") != bytes.npos;
}

/// Where the body ends must be beyond doubt (RFC 9112, 6.1 and 6.3): the parser takes every coding but `chunked` for no
/// body at all, while a proxy in front may read one; what it sent as a body would then be the next request.
std::string_view RequestReader::framing_mistake() const {
  if (is_folded_) return "A header line is folded; write each on one line.";
  const std::size_t count = parser_.get().count(http::field::transfer_encoding);
  if (count == 0) return {};
  if (!is_one_one()) return "HTTP/1.0 knows no Transfer-Encoding; send a Content-Length.";
  if (count > 1 || !is_word_chunked(parser_.get()[http::field::transfer_encoding])) {
    return "Of transfer codings only `Transfer-Encoding: chunked`, once and alone, is understood.";
  }
  if (parser_.get().count(http::field::content_length) > 0) {
    return "A request has a Content-Length or a Transfer-Encoding, and not both.";
  }
  return {};
}

std::string_view RequestReader::method() const { return view(parser_.get().method_string()); }
std::string_view RequestReader::target() const { return view(parser_.get().target()); }
std::string_view RequestReader::header(std::string_view name) const {
  return view(parser_.get()[boost::string_view(name.data(), name.size())]);
}

std::optional<std::uint64_t> RequestReader::content_length() const {
  const auto length = parser_.content_length();
  return length ? std::optional<std::uint64_t>(*length) : std::nullopt;
}

void RequestReader::each_header(const std::function<void(std::string_view name, std::string_view value)>& tell) const {
  for (const auto& field : parser_.get()) tell(view(field.name_string()), view(field.value()));
}

std::size_t RequestReader::count(std::string_view name) const {
  return parser_.get().count(boost::string_view(name.data(), name.size()));
}

}  // namespace makegood::server
