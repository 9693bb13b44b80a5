// Makes an answer out of bytes, as they come. What can be read in two ways is no answer.
#pragma once

#include <string>
#include <string_view>

#include "proxy/heads.hpp"
#include "server/beast.hpp"
#include "server/piece_body.hpp"

namespace makegood::proxy {

class AnswerReader {
 public:
  /// `is_without_body`: it answers HEAD.
  AnswerReader(std::size_t header_bytes_max, bool is_without_body);

  /// Answers how many of the bytes it took. Stops after the head.
  std::size_t feed(std::string_view bytes);
  /// The other side has closed: the end of an answer without a length, or one that was cut.
  void feed_end();
  bool is_head_done() const { return parser_.is_header_done(); }
  bool is_done() const { return parser_.is_done(); }
  bool is_wrong() const { return is_wrong_; }

  // Good once the head is there.
  int status() const { return static_cast<int>(parser_.get().result_int()); }
  AnswerHead head() const;
  bool keeps_alive() const { return parser_.get().keep_alive() && !parser_.need_eof(); }
  /// How long the other side says that it keeps an idle connection; nothing: it does not say.
  std::optional<Duration> keep_alive_time() const;
  std::string take_body() { return std::exchange(parser_.get().body(), {}); }

 private:
  bool is_framed_twice() const;

  server::http::response_parser<server::PieceBody> parser_;
  bool is_wrong_ = false;
};

}  // namespace makegood::proxy
