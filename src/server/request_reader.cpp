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
    taken += count;
    if (!was_header_done) header_bytes_ += count;
    // The parser limits what it has not taken yet; this is about all of it.
    if (header_bytes_ > header_bytes_max_) error = http::error::header_limit;
    if (error == http::error::need_more) break;
    if (error) mistake_ = answer_to(error, header_bytes_max_, body_bytes_max_);
  }
  return taken;
}

std::string_view RequestReader::method() const { return view(parser_.get().method_string()); }
std::string_view RequestReader::target() const { return view(parser_.get().target()); }
std::string_view RequestReader::header(std::string_view name) const {
  return view(parser_.get()[boost::string_view(name.data(), name.size())]);
}

std::size_t RequestReader::count(std::string_view name) const {
  return parser_.get().count(boost::string_view(name.data(), name.size()));
}

}  // namespace makegood::server
