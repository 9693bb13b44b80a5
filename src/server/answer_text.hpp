// An answer as it goes over the wire.
#pragma once

#include <string>
#include <string_view>

#include "api/call.hpp"

namespace makegood::server {

struct AnswerFrame {
  bool is_head = false;  ///< The length of the body is told, the body is not.
  bool is_last = false;  ///< The connection is closed after it.
  std::string_view request_id = {};
  std::string_view date = {};  ///< As in HTTP headers.
};

std::string answer_text(const api::Answer& answer, const AnswerFrame& frame);
/// The beginning of a stream of events, which ends with its connection.
std::string stream_head(const AnswerFrame& frame);

std::string_view reason_of(int status);
/// `Mon, 02 Jan 2006 15:04:05 GMT`
std::string http_date(std::int64_t seconds);
/// The caller's own, if it is harmless in a log; otherwise a new one.
std::string request_id_from(std::string_view given);

}  // namespace makegood::server
