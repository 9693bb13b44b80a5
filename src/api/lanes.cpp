// What operators ask of a lane: pause, resume, unblock, replays of history, rewind.
#include <fmt/format.h>

#include "api/asking.hpp"
#include "api/fields.hpp"
#include "api/handlers.hpp"
#include "api/paging.hpp"

namespace makegood::api {
namespace {

constexpr IntegerRange sequence_range{1, std::numeric_limits<Sequence>::max()};

std::string destination_in(Fields& body) {
  std::string name = body.text("destination", {.is_required = true});
  if (!name.empty() && !is_destination_name(name)) {
    body.mistake("destination", fmt::format("is {}; allowed: letters, digits and _.:-/", shown(name)));
  }
  return name;
}

/// A destination, or a tenant at it.
NewRequest about_scope(RequestKind kind, Fields& body) {
  NewRequest request{.kind = kind, .destination = destination_in(body), .operator_name = {}};
  request.tenant_id = body.text("tenant_id");
  request.reason = body.text("reason", reason_rule);
  return request;
}

Result<Answer> ask_about_scope(const Question& question, NewRequest request) {
  DeadLetterStore& letters = *MAKEGOOD_TRY(question.desk.letters(question.outbox()));
  const LaneView lane = MAKEGOOD_TRY(letters.lane());
  MAKEGOOD_TRY(check_destination(lane, request.destination));
  return ask_and_tell(question, std::move(request));
}

Result<Answer> scope_request(const Question& question, RequestKind kind) {
  Mistakes mistakes;
  Fields body = Fields::of_object(question.call.body, mistakes);
  NewRequest request = about_scope(kind, body);
  body.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The body");
  return ask_about_scope(question, std::move(request));
}

}  // namespace

Result<Answer> pause(const Question& question) { return scope_request(question, RequestKind::pause); }
Result<Answer> resume(const Question& question) { return scope_request(question, RequestKind::resume); }
Result<Answer> cancel_history(const Question& question) { return scope_request(question, RequestKind::cancel); }

Result<Answer> replay_history(const Question& question) {
  Mistakes mistakes;
  Fields body = Fields::of_object(question.call.body, mistakes);
  NewRequest request = about_scope(RequestKind::history, body);
  request.sequence = body.integer("from", sequence_range).value_or(0);
  request.until = body.integer("until", sequence_range).value_or(0);
  if (request.until != 0 && request.until < request.sequence) {
    body.mistake("until", fmt::format("is {}, before from; it names the last message", request.until));
  }
  body.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The body");
  return ask_about_scope(question, std::move(request));
}

Result<Answer> unblock(const Question& question) {
  Mistakes mistakes;
  Fields body = Fields::of_object(question.call.body, mistakes);
  body.require("sequence");
  NewRequest request{.kind = RequestKind::unblock,
                     .sequence = body.integer("sequence", sequence_range).value_or(0),
                     .destination = destination_in(body),
                     .operator_name = {},
                     .reason = body.text("reason", reason_rule)};
  body.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The body");

  DeadLetterStore& letters = *MAKEGOOD_TRY(question.desk.letters(question.outbox()));
  MAKEGOOD_TRY(letters.inspect("", request.sequence, request.destination));
  return ask_and_tell(question, std::move(request));
}

Result<Answer> rewind(const Question& question) {
  NewRequest request{.kind = RequestKind::rewind, .destination = {}, .operator_name = {}};
  request.reason = MAKEGOOD_TRY(reason_of(question.call));
  return ask_and_tell(question, std::move(request));
}

}  // namespace makegood::api
