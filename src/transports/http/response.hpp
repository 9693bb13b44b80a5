// What is kept of a response: its status and Retry-After. Everything else is counted, so that nothing can grow, and
// dropped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace makegood::http {

/// Of all header lines together, those of 1xx responses included: a flood of them ends here too.
inline constexpr std::size_t header_bytes_max = std::size_t{64} << 10;
/// Those before it only announce an answer.
inline constexpr int first_final_status = 200;

class Response {
 public:
  explicit Response(std::size_t body_bytes_max) : body_bytes_max_(body_bytes_max) {}

  void clear();
  /// A line as it came, with its end; `status` is that of the block it belongs to. False: too much, give it up.
  bool take_header(std::string_view line, int status);
  /// False: too much, give it up.
  bool take_body(std::size_t bytes);

  /// A line of a final status has come.
  bool has_final_begun() const { return has_final_begun_; }
  /// The header block of a final status has come, to its end. From then on the answer has been given: whatever happens
  /// to the body (cut, too long, too slow, broken chunks) changes nothing, because nobody reads it.
  bool is_answered() const { return status_ != 0; }
  int status() const { return status_; }
  std::string_view retry_after() const { return retry_after_; }

 private:
  // Constant after construction.
  std::size_t body_bytes_max_;

  std::size_t header_bytes_ = 0;
  std::size_t body_bytes_ = 0;
  bool has_final_begun_ = false;
  int status_ = 0;
  std::string retry_after_;
};

}  // namespace makegood::http
