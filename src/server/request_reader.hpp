// Makes a request out of bytes, as they come, and knows when it has become too large.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/call.hpp"
#include "server/beast.hpp"
#include "server/piece_body.hpp"

namespace makegood::server {

class RequestReader {
 public:
  RequestReader(std::size_t header_bytes_max, std::size_t body_bytes_max);

  /// Answers how many of the bytes it took; the others are to be given again, with more. Stops after the header, so
  /// that somebody can look at it first.
  std::size_t feed(std::string_view bytes);
  bool is_header_done() const { return parser_.is_header_done(); }
  bool is_done() const { return parser_.is_done(); }
  /// What is wrong with the request; nothing can be read after it.
  const std::optional<api::Answer>& mistake() const { return mistake_; }

  // Good once the header is there.
  std::string_view method() const;
  std::string_view target() const;
  std::string_view header(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  bool is_one_one() const { return parser_.get().version() == 11; }
  bool keeps_alive() const { return parser_.get().keep_alive(); }
  /// What has come of it and was not taken yet.
  std::string take_body() { return std::exchange(parser_.get().body(), {}); }
  bool is_chunked() const { return parser_.chunked(); }
  /// As its header says.
  std::optional<std::uint64_t> content_length() const;
  /// In the order of the request.
  void each_header(const std::function<void(std::string_view name, std::string_view value)>& tell) const;

 private:
  void take_header(std::string_view bytes);
  std::string_view framing_mistake() const;

  const std::size_t header_bytes_max_;
  const std::size_t body_bytes_max_;
  http::request_parser<PieceBody> parser_;
  std::size_t header_bytes_ = 0;  ///< Taken so far.
  bool is_folded_ = false;        ///< A line of the header goes on in the next one.
  std::optional<api::Answer> mistake_;
};

}  // namespace makegood::server
