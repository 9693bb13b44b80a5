// Dead letters: lists, groups, one with its story, and what operators do about one.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/asking.hpp"
#include "api/handlers.hpp"
#include "api/paging.hpp"
#include "api/view_json.hpp"

namespace makegood::api {
namespace {

constexpr auto dead_states = std::to_array<std::string_view>({"dead", "quarantined"});

DeadFilter filter_in(Fields& query) {
  DeadFilter filter = dead_filter(query);
  if (const auto chosen = query.choice("state", dead_states)) {
    filter.state = *chosen == 0 ? ParkedState::dead : ParkedState::quarantined;
  }
  return filter;
}

struct Place {
  Sequence sequence = 0;
  std::string destination;
};

Result<Place> place_in(const Question& question) {
  return Place{MAKEGOOD_TRY(number_in_path(question.path.at("sequence"), "message")), question.destination()};
}

Result<Answer> ask_about_one(const Question& question, RequestKind kind, std::string reason) {
  const Place place = MAKEGOOD_TRY(place_in(question));
  DeadLetterStore& letters = *MAKEGOOD_TRY(question.desk.letters(question.outbox()));
  MAKEGOOD_TRY(letters.inspect("", place.sequence, place.destination));
  NewRequest request{.kind = kind, .sequence = place.sequence, .destination = place.destination, .operator_name = {}};
  request.reason = std::move(reason);
  return ask_and_tell(question, std::move(request));
}

/// A message may be kept no longer than its dead letter.
Result<MessageView> story_or_nothing(OutboxView& view, Sequence sequence) {
  auto story = view.story(sequence);
  if (!story && story.error().code == Errc::not_found) return MessageView{};
  return story;
}

std::vector<AttemptNote> attempts_at(const MessageView& view, const std::string& destination) {
  const auto found = std::ranges::find(view.deliveries, destination, &DeliveryView::destination);
  return found == view.deliveries.end() ? std::vector<AttemptNote>() : found->story;
}

std::vector<RequestView> requests_about(const MessageView& view, const std::string& destination) {
  std::vector<RequestView> requests;
  std::ranges::copy_if(view.requests, std::back_inserter(requests),
                       [&](const RequestView& request) { return request.asked.destination == destination; });
  return requests;
}

}  // namespace

Result<Answer> list_dead(const Question& question) {
  Mistakes mistakes;
  Fields query = Fields::of_query(question.call.query, mistakes);
  const DeadFilter filter = filter_in(query);
  const DeadCursor after = dead_cursor(query);
  const std::size_t limit = limit_of(query);
  query.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The query");

  OutboxView& view = *MAKEGOOD_TRY(question.desk.view(question.outbox()));
  const auto letters = MAKEGOOD_TRY(view.list_dead(filter, after, limit));
  std::string next;
  if (letters.size() >= limit) next = to_cursor({letters.back().parked.sequence, letters.back().parked.destination});
  return list_answer(letters, next, [](Writer& writer, const DeadLetter& letter) {
    writer.StartObject();
    put_dead(writer, letter);
    writer.EndObject();
  });
}

Result<Answer> group_dead(const Question& question) {
  Mistakes mistakes;
  Fields query = Fields::of_query(question.call.query, mistakes);
  const DeadFilter filter = filter_in(query);
  const std::size_t limit = limit_of(query);
  query.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The query");

  OutboxView& view = *MAKEGOOD_TRY(question.desk.view(question.outbox()));
  return list_answer(MAKEGOOD_TRY(view.group_dead(filter, limit)), {}, put_group);
}

Result<Answer> show_dead(const Question& question) {
  const Place place = MAKEGOOD_TRY(place_in(question));
  DeadLetterStore& letters = *MAKEGOOD_TRY(question.desk.letters(question.outbox()));
  OutboxView& view = *MAKEGOOD_TRY(question.desk.view(question.outbox()));
  const DeadLetter letter = MAKEGOOD_TRY(letters.inspect("", place.sequence, place.destination));
  const MessageView story = MAKEGOOD_TRY(story_or_nothing(view, place.sequence));
  return object_answer(200, [&](Writer& writer) {
    put_dead(writer, letter);
    put_array(writer, "story", attempts_at(story, place.destination), put_attempt);
    json::write_name(writer, "message");
    if (story.message == nullptr) {
      writer.Null();
    } else {
      writer.StartObject();
      put_content(writer, *story.message);
      writer.EndObject();
    }
    put_array(writer, "requests", requests_about(story, place.destination), put_request);
  });
}

Result<Answer> replay_one(const Question& question) {
  return ask_about_one(question, RequestKind::replay, MAKEGOOD_TRY(reason_of(question.call)));
}
Result<Answer> quarantine(const Question& question) {
  return ask_about_one(question, RequestKind::quarantine, MAKEGOOD_TRY(reason_of(question.call)));
}
Result<Answer> release(const Question& question) {
  return ask_about_one(question, RequestKind::release, MAKEGOOD_TRY(reason_of(question.call)));
}

Result<Answer> annotate(const Question& question) {
  Mistakes mistakes;
  Fields body = Fields::of_object(question.call.body, mistakes);
  std::string note = body.text("note", {.is_required = true, .bytes_max = 1000});
  body.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The body");
  return ask_about_one(question, RequestKind::annotate, std::move(note));
}

}  // namespace makegood::api
