#include "api/call.hpp"
#include "api/json_out.hpp"
#include "base/error_table.hpp"

namespace makegood::api {
namespace {

constexpr std::string_view title_of(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 507:
      return "Insufficient Storage";
    default:
      return status < 500 ? "Bad Request" : "Internal Server Error";
  }
}

}  // namespace

Answer problem(int status, const Error& error) {
  Answer answer = object_answer(status, [&](Writer& writer) {
    put(writer, "type", std::string_view("about:blank"));
    put(writer, "title", title_of(status));
    put(writer, "status", status);
    put(writer, "detail", error.message);
    put(writer, "code", to_string(error.code));
    put(writer, "retryable", is_retryable(error.code));
  });
  answer.content_type = "application/problem+json";
  const bool is_worth_waiting = status == 503 && is_retryable(error.code);
  if (is_worth_waiting) answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

Answer problem(const Error& error) { return problem(row_of(error.code).http_status, error); }

}  // namespace makegood::api
