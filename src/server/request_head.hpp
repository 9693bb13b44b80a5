// Who asks for what: the head of a request, judged before its body is read.
#pragma once

#include <optional>
#include <string>

#include "api/call.hpp"
#include "server/figures.hpp"
#include "server/gate.hpp"
#include "server/request_reader.hpp"

namespace makegood::server {

struct Refused {
  Refusal why;
  api::Answer answer;
};

struct RequestHead {
  std::string method = {};  ///< GET, for HEAD as well.
  std::string path = {};
  std::string query = {};  ///< Without the question mark.
  std::string request_id = {};
  std::string operator_name = {};
  bool is_head = false;
  bool sees_contents = false;

  /// `user`: who is at the other end of a Unix socket. Nothing: the caller may go on.
  std::optional<Refused> read(const RequestReader& reader, const Gate& gate, const std::string& user);
  bool wants_stream() const { return path == "/api/events" && method == "GET" && !is_head; }
  /// Takes the body out of the reader.
  api::Call call(RequestReader& reader) const;
};

}  // namespace makegood::server
