// What the public headers about idempotency declare.
#include "makegood/idempotency.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/digest.hpp"
#include "makegood/inbox.hpp"
#include "makegood/spi/idempotency_store.hpp"

namespace makegood {

std::string_view to_string(ClaimOutcome outcome) {
  switch (outcome) {
    case ClaimOutcome::fresh:
      return "fresh";
    case ClaimOutcome::hit:
      return "hit";
    case ClaimOutcome::busy:
      return "busy";
    case ClaimOutcome::mismatch:
      return "mismatch";
    case ClaimOutcome::in_doubt:
      return "in_doubt";
    case ClaimOutcome::last_failed:
      return "last_failed";
  }
  std::unreachable();
}

std::string_view to_string(KeyState state) {
  switch (state) {
    case KeyState::in_flight:
      return "in_flight";
    case KeyState::succeeded:
      return "succeeded";
    case KeyState::failed:
      return "failed";
  }
  std::unreachable();
}

std::string_view to_string(AfterLease after_lease) {
  return after_lease == AfterLease::take_over ? "take_over" : "hold";
}

std::string_view to_string(Seen seen) {
  switch (seen) {
    case Seen::fresh:
      return "fresh";
    case Seen::repeat:
      return "repeat";
    case Seen::expired:
      return "expired";
  }
  std::unreachable();
}

std::string fingerprint_of(const RequestParts& request) {
  std::string text;
  for (const std::string_view part :
       {request.method, request.path, request.query, request.content_type, request.body}) {
    text += fmt::format("{}:", part.size());
    text += part;
  }
  return long_digest(text);
}

Error error_of(const ClaimAnswer& answer) {
  switch (answer.outcome) {
    case ClaimOutcome::fresh:
    case ClaimOutcome::hit:
      return {Errc::idempotent_hit, "The key was already finished."};
    case ClaimOutcome::busy:
      return {Errc::idempotent_busy, "Another request with this key is being worked on; try again later."};
    case ClaimOutcome::mismatch:
      return {Errc::idempotent_mismatch, "This key was used for a request with other content; use a new key."};
    case ClaimOutcome::in_doubt:
      return {
          Errc::in_doubt,
          "Whoever worked on this key fell silent, and whether it was done is unknown; an operator has to resolve it."};
    case ClaimOutcome::last_failed:
      return {Errc::idempotent_last_failed, "The request with this key failed for good.", answer.failure_code};
  }
  std::unreachable();
}

Result<IdempotencyStore::Put> IdempotencyStore::check_and_put(std::string_view tenant, std::string_view key,
                                                              std::string_view hash, Duration ttl) {
  ClaimRequest request{.key = {.tenant_id = std::string(tenant), .scope = {}, .key = std::string(key)},
                       .fingerprint = std::string(hash),
                       .ttl = ttl};
  ClaimAnswer answer = MAKEGOOD_TRY(claim(request));
  if (answer.outcome == ClaimOutcome::fresh) {
    return Put{.handle = ClaimToken{std::move(request.key), std::move(answer.token)}};
  }
  if (answer.outcome == ClaimOutcome::hit) return Put{.digest = std::move(answer.result.digest)};
  return error_of(answer);
}

}  // namespace makegood
