// What is kept of a response: its status and Retry-After; and headers and body as far as somebody asked for them.
// Everything else is counted, so that nothing can grow, and dropped.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "makegood/delivery.hpp"

namespace makegood::http {

/// Of all header lines together, those of 1xx responses included: a flood of them ends here too.
inline constexpr std::size_t header_bytes_max = std::size_t{64} << 10;
/// Those before it only announce an answer.
inline constexpr int first_final_status = 200;

class Response {
 public:
  explicit Response(std::size_t body_bytes_max) : body_bytes_max_(body_bytes_max) {}

  /// For the next request, of whose answer so much is kept.
  void clear(std::size_t kept_bytes_max = 0);
  /// A line as it came, with its end; `status` is that of the block it belongs to. False: too much, give it up.
  bool take_header(std::string_view line, int status);
  /// False: too much, give it up.
  bool take_body(std::string_view bytes);

  /// A line of a final status has come.
  bool has_final_begun() const { return has_final_begun_; }
  /// The header block of a final status has come, to its end. From then on the answer has been given: whatever happens
  /// to the body (cut, too long, too slow, broken chunks) changes nothing, because nobody reads it.
  bool is_answered() const { return status_ != 0; }
  int status() const { return status_; }
  std::string_view retry_after() const { return retry_after_; }
  /// Null: nobody asked for it.
  std::shared_ptr<const Reply::Content> content() const { return content_; }

 private:
  void keep_header(std::string_view line);

  // Constant after construction.
  std::size_t body_bytes_max_;

  std::size_t header_bytes_ = 0;
  std::size_t body_bytes_ = 0;
  bool has_final_begun_ = false;
  int status_ = 0;
  std::string retry_after_;
  std::size_t kept_bytes_max_ = 0;
  std::shared_ptr<Reply::Content> content_;
};

}  // namespace makegood::http
