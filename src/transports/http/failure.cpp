#include "transports/http/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "makegood/result.hpp"

namespace makegood::http {
namespace {

Errc errc_of(const Failure& failure) {
  switch (static_cast<int>(failure.code)) {  // Of a hundred codes only these mean something else here.
    case CURLE_OPERATION_TIMEDOUT:
      return failure.has_left ? Errc::timeout : Errc::unavailable;  // A timeout may have been done; this was not.
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
      return Errc::config_invalid;
    default:
      return Errc::unavailable;
  }
}

/// One line of plain characters, whatever a certificate may hold.
std::string plain(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, [](char c) { return c < ' ' || c > '~'; }, '?');
  return line;
}

/// libcurl speaks of files and memory where the other side is to blame.
std::string said_of(CURLcode code) {
  switch (static_cast<int>(code)) {  // For all others its own words will do.
    case CURLE_WRITE_ERROR:
    case CURLE_OUT_OF_MEMORY:
      return "the header of the answer is too long";
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
      return "the answer is not HTTP";
    case CURLE_GOT_NOTHING:
      return "the connection was closed without an answer";
    default:
      return curl_easy_strerror(code);
  }
}

std::string reason_of(const Failure& failure) {
  if (failure.code == CURLE_OPERATION_TIMEDOUT) return failure.has_left ? "no answer in time" : "no connection in time";
  // Once the request has left, libcurl's own words may quote what the other side said.
  if (failure.has_left || failure.reason.empty()) return said_of(failure.code);
  return plain(failure.reason);
}

/// Something that is no HTTP is an answer, too; a connection that ends without one is like a timeout.
Reply::What what_of(const Failure& failure) {
  if (!failure.has_left) return Reply::What::unreachable;
  switch (static_cast<int>(failure.code)) {
    case CURLE_WRITE_ERROR:
    case CURLE_OUT_OF_MEMORY:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
      return Reply::What::garbled;
    default:
      return Reply::What::silent;
  }
}

}  // namespace

Reply reply_of(const Failure& failure) {
  return {.what = what_of(failure),
          .code = std::string(to_string(errc_of(failure))),
          .detail = fmt::format("{}; {}", reason_of(failure),
                                failure.has_left ? "the request may have arrived" : "the request was not sent")};
}

bool is_of_the_address(const Failure& failure) {
  if (failure.has_left) return false;
  return failure.code == CURLE_COULDNT_CONNECT || failure.code == CURLE_OPERATION_TIMEDOUT;
}

}  // namespace makegood::http
