#include "server/request_head.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "server/answer_text.hpp"

namespace makegood::server {
namespace {

constexpr std::array<std::string_view, 9> methods = {"GET",   "HEAD",    "POST",  "PUT",  "DELETE",
                                                     "PATCH", "OPTIONS", "TRACE", "QUERY"};
constexpr int status_forbidden = 403;

std::optional<api::Answer> mistake_of(const RequestReader& reader) {
  if (std::ranges::find(methods, reader.method()) == methods.end()) {
    return api::problem(501, {Errc::invalid, "This method is not known here."});
  }
  if (!reader.target().starts_with('/')) {
    return api::problem(400, {Errc::invalid, "The target must begin with a slash."});
  }
  const std::size_t hosts = reader.count("Host");
  if (hosts > 1 || (hosts == 0 && reader.is_one_one())) {
    return api::problem(400, {Errc::invalid, "A request has one Host header."});
  }
  const std::string_view expected = reader.header("Expect");
  if (!expected.empty() && !boost::beast::iequals({expected.data(), expected.size()}, "100-continue")) {
    return api::problem(417, {Errc::invalid, "Only `Expect: 100-continue` is understood."});
  }
  return {};
}

}  // namespace

std::optional<Refused> RequestHead::read(const RequestReader& reader, const Gate& gate, const std::string& user) {
  const std::string_view target = reader.target();
  is_head = reader.method() == "HEAD";
  method = is_head ? "GET" : reader.method();
  const std::size_t question = std::min(target.find('?'), target.size());
  path = target.substr(0, question);
  query = question < target.size() ? target.substr(question + 1) : std::string_view();
  request_id = request_id_from(reader.header("X-Request-Id"));
  if (auto mistake = mistake_of(reader)) return Refused{Refusal::request, std::move(*mistake)};
  auto verdict = gate.judge({.method = method,
                             .path = path,
                             .host = reader.header("Host"),
                             .origin = reader.header("Origin"),
                             .authorization = reader.header("Authorization"),
                             .operator_name = reader.header("X-Operator"),
                             .user = user});
  if (auto* refusal = std::get_if<api::Answer>(&verdict)) {
    const bool is_known = refusal->status == status_forbidden;
    return Refused{is_known ? Refusal::forbidden : Refusal::unauthorized, std::move(*refusal)};
  }
  LetIn& let_in = std::get<LetIn>(verdict);
  operator_name = std::move(let_in.operator_name);
  sees_contents = let_in.role == api::Role::operate;
  return {};
}

api::Call RequestHead::call(RequestReader& reader) const {
  return {.method = method,
          .path = path,
          .query = query,
          .content_type = std::string(reader.header("Content-Type")),
          .body = reader.take_body(),
          .operator_name = operator_name,
          .traceparent = std::string(reader.header("traceparent")),
          .tracestate = std::string(reader.header("tracestate")),
          .idempotency_key = std::string(reader.header("Idempotency-Key")),
          .callback_token = std::string(reader.header("Makegood-Callback-Token")),
          .sees_contents = sees_contents};
}

}  // namespace makegood::server
