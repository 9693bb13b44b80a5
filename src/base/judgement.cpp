// What a reply means for a delivery of an outbox.
#include <utility>

#include "makegood/delivery.hpp"
#include "makegood/result.hpp"

namespace makegood {
namespace {

Outcome::Kind verdict_on(int status) {
  if (status == 410) return Outcome::Kind::gone;
  if (status == 408 || status == 425 || status == 429) return Outcome::Kind::retry;
  switch (status / 100) {
    case 2:
      return Outcome::Kind::ok;
    case 3:  // Not followed: a redirect could lead anywhere, so whoever set the destination up must follow it.
    case 4:
      return Outcome::Kind::fail;
    default:  // 5xx, and what HTTP does not know: no reason to give a message up.
      return Outcome::Kind::retry;
  }
}

Outcome::Kind usual_verdict_on(const Reply& reply) {
  switch (reply.what) {
    case Reply::What::answered:
      return verdict_on(reply.status);
    case Reply::What::garbled:
    case Reply::What::silent:
    case Reply::What::unreachable:
      return Outcome::Kind::retry;
    case Reply::What::unsendable:
      return Outcome::Kind::fail;
    case Reply::What::withheld:
      return Outcome::Kind::returned;
  }
  std::unreachable();
}

/// What a proxy says before a dead backend, and what says itself that it cannot take it now.
bool says_unreachable(int status) { return status == 429 || status == 502 || status == 503 || status == 504; }

Outcome::Reach reach_of(const Reply& reply, Outcome::Kind verdict) {
  switch (reply.what) {
    case Reply::What::answered:
      return verdict == Outcome::Kind::retry && says_unreachable(reply.status) ? Outcome::Reach::unreachable
                                                                               : Outcome::Reach::answered;
    case Reply::What::silent:
      return Outcome::Reach::silent;
    case Reply::What::unreachable:
    case Reply::What::unsendable:
      return Outcome::Reach::unreachable;
    case Reply::What::garbled:
    case Reply::What::withheld:
      return Outcome::Reach::answered;
  }
  std::unreachable();
}

}  // namespace

Reply Reply::said(Outcome outcome) {
  if (outcome.kind == Outcome::Kind::returned) return withheld();
  Reply reply{.code = std::move(outcome.code),
              .detail = std::move(outcome.detail),
              .verdict = outcome.kind,
              .retry_after = outcome.retry_after};
  if (outcome.reach == Outcome::Reach::unreachable) reply.what = What::unreachable;
  if (outcome.reach == Outcome::Reach::silent) reply.what = What::silent;
  return reply;
}

Outcome judged_by_outbox(Reply reply) {
  const Outcome::Kind verdict = reply.verdict.value_or(usual_verdict_on(reply));
  const Outcome::Reach reach = reach_of(reply, verdict);
  if (reply.status != 0 && verdict == Outcome::Kind::ok) return Outcome::ok();
  // Refusals are told apart by their status: who mends a credential need not replay what was refused for its content.
  if (reply.status != 0 && verdict == Outcome::Kind::retry) reply.code = to_string(Errc::unavailable);
  const bool waits = reply.status == 0 || verdict == Outcome::Kind::retry;
  return {verdict, std::move(reply.code), std::move(reply.detail), waits ? reply.retry_after : Duration{}, reach};
}

}  // namespace makegood
