#include "proxy/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "makegood/spi/idempotency_store.hpp"

namespace makegood::proxy {

api::Answer key_missing() {
  return api::problem(400, {Errc::invalid,
                            "This request needs a header Idempotency-Key: a new text of your own for each thing that "
                            "is to be done, and the same text whenever the request is repeated."});
}

api::Answer key_unreadable() {
  return api::problem(400, {Errc::invalid,
                            "A request has one Idempotency-Key of 1 to 255 bytes without control characters, quoted "
                            "or bare."});
}

api::Answer body_too_large(std::size_t bytes_max) {
  return api::problem(413,
                      {Errc::payload_too_large,
                       fmt::format("The body of a request with an Idempotency-Key is above {} bytes.", bytes_max)});
}

api::Answer principal_missing(const Error& error) {
  api::Answer answer = api::problem(401, error);
  answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  return answer;
}

api::Answer store_away() {
  return api::problem(503, {Errc::store_unavailable,
                            "The Idempotency-Key could not be claimed, and nothing was forwarded; repeat the request "
                            "later."});
}

api::Answer not_yours(const ClaimAnswer& claimed) {
  const Error error = error_of(claimed);
  api::Answer answer = api::problem(error.code == Errc::idempotent_mismatch ? 422 : 409, error);
  if (claimed.outcome == ClaimOutcome::busy) {
    // A whole lease would be too long: most requests take less than a second.
    answer.headers.emplace_back("Retry-After", "1");
  }
  if (claimed.outcome == ClaimOutcome::in_doubt) answer.headers.emplace_back("Idempotency-Status", "in_doubt");
  return answer;
}

api::Answer no_answer(Ending::Kind why, bool is_in_doubt) {
  const int status = why == Ending::Kind::timeout ? 504 : 502;
  if (why == Ending::Kind::never_left) {
    return api::problem(status, {Errc::unavailable, "The service cannot be reached; the request has not left."});
  }
  const std::string_view what =
      why == Ending::Kind::timeout ? "The service has not answered in time" : "The service's answer was cut off";
  if (!is_in_doubt) {
    return api::problem(status, {Errc::unavailable, fmt::format("{}; it may have done what was asked.", what)});
  }
  return api::problem(
      status, {Errc::in_doubt, fmt::format("{}, and whether it did what was asked is unknown. The Idempotency-Key is "
                                           "held until somebody has found out.",
                                           what)});
}

api::Answer not_stored() {
  return api::problem(503, {Errc::in_doubt,
                            "The service has answered, but its answer could not be stored. The Idempotency-Key will "
                            "be in doubt until somebody has found out."});
}

}  // namespace makegood::proxy
