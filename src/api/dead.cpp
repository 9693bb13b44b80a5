// Dead letters: lists, groups, one with its story, and what operators do about one.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/asking.hpp"
#include "api/operation.hpp"
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

struct DeadQuery {
  DeadFilter filter;
  DeadCursor after;
  std::size_t limit;
};
DeadQuery dead_query(Fields& query) { return {filter_in(query), dead_cursor(query), limit_of(query)}; }
DeadQuery group_query(Fields& query) { return {.filter = filter_in(query), .after = {}, .limit = limit_of(query)}; }

std::string note_in(Fields& body) { return body.text("note", {.is_required = true, .bytes_max = 1000}); }

struct Place {
  Sequence sequence = 0;
  std::string destination;
};

Result<Place> place_in(const RoutedCall& routed) {
  return Place{MAKEGOOD_TRY(number_in_path(routed.path.at("sequence"), "message")), routed.destination()};
}

Result<Answer> ask_about_one(const RoutedCall& routed, RequestKind kind, std::string reason) {
  const Place place = MAKEGOOD_TRY(place_in(routed));
  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  MAKEGOOD_TRY(view.inspect("", place.sequence, place.destination));
  NewRequest request{.kind = kind, .sequence = place.sequence, .destination = place.destination, .operator_name = {}};
  request.reason = std::move(reason);
  return ask_and_tell(routed, std::move(request));
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

struct DeadPage {
  std::vector<DeadLetter> letters = {};
  std::string next = {};
};
void put_dead_page(Writer& writer, const DeadPage& page) {
  put_page(writer, "DeadLetter", page.letters, page.next, put_dead);
}
void put_groups(Writer& writer, const std::vector<DeadGroup>& groups) {
  put_list(writer, "DeadGroup", groups, put_group);
}

struct ShownLetter {
  DeadLetter letter = {};
  MessageView story = {};
  bool is_hidden = false;
};
/// Its content, or null when it is kept no longer.
void put_kept(Writer& writer, const MessagePtr& kept, bool is_hidden) {
  const Message none;
  const Message& message = kept == nullptr ? none : *kept;
  const auto put_members = [&](Writer& to) { put_content(to, message, is_hidden); };
  if (writer.sketch != nullptr) {
    const Schema content = keep_schema(writer.sketch->named, "Content", put_members);
    const std::string either = json_list(std::array<std::string, 2>{content.str(), R"({"type":"null"})"});
    return note(writer, "message", Schema().json("oneOf", either), "Its content; null when it is kept no longer.");
  }
  kept == nullptr ? put_null(writer, "message") : put_object(writer, "message", "Content", put_members);
}

void put_letter(Writer& writer, const ShownLetter& shown) {
  const std::string& destination = shown.letter.parked.destination;
  put_dead(writer, shown.letter);
  put_objects(writer, "story", "Attempt", attempts_at(shown.story, destination), put_attempt);
  put_kept(writer, shown.story.message, shown.is_hidden);
  put_objects(writer, "requests", "Request", requests_about(shown.story, destination), put_request);
}

Result<Answer> list_dead(const RoutedCall& routed) {
  const auto [filter, after, limit] = MAKEGOOD_TRY(read_query(routed.call, dead_query));

  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  DeadPage page{.letters = MAKEGOOD_TRY(view.list_dead(filter, after, limit))};
  if (page.letters.size() >= limit) {
    page.next = to_cursor({page.letters.back().parked.sequence, page.letters.back().parked.destination});
  }
  return answer_of(page, put_dead_page);
}

Result<Answer> group_dead(const RoutedCall& routed) {
  const DeadQuery query = MAKEGOOD_TRY(read_query(routed.call, group_query));

  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  return answer_of(MAKEGOOD_TRY(view.group_dead(query.filter, query.limit)), put_groups);
}

Result<Answer> show_dead(const RoutedCall& routed) {
  const Place place = MAKEGOOD_TRY(place_in(routed));
  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  return answer_of(ShownLetter{.letter = MAKEGOOD_TRY(view.inspect("", place.sequence, place.destination)),
                               .story = MAKEGOOD_TRY(story_or_nothing(view, place.sequence)),
                               .is_hidden = !routed.call.sees_contents},
                   put_letter);
}

template <RequestKind Kind>
Result<Answer> ask_for(const RoutedCall& routed) {
  return ask_about_one(routed, Kind, MAKEGOOD_TRY(reason_of(routed.call)));
}

Result<Answer> annotate(const RoutedCall& routed) {
  return ask_about_one(routed, RequestKind::annotate, MAKEGOOD_TRY(read_body(routed.call, note_in)));
}

constexpr auto about_dead = std::to_array<Operation>({
    shows("list_dead", "/api/outboxes/{outbox}/dead", "dead", list_dead, "Dead letters, by number",
          {200, "A page.", "DeadList", writes<put_dead_page>}, reads<dead_query>),
    shows("group_dead", "/api/outboxes/{outbox}/dead/groups", "dead", group_dead,
          "Dead letters by topic, destination and code: how many, since when, one example",
          {200, "The largest `limit` groups; there is no second page.", "DeadGroupList", writes<put_groups>},
          reads<group_query>),
    shows(
        "show_dead", "/api/outboxes/{outbox}/dead/{sequence}/{destination}", "dead", show_dead,
        "One dead letter with its story, its message and what operators have asked about it",
        {200, "Also of a delivery that is parked for another reason; `state` tells.", "DeadStory", writes<put_letter>}),
    asks("replay", "/api/outboxes/{outbox}/dead/{sequence}/{destination}/replay", "dead", ask_for<RequestKind::replay>,
         "Send it again, with fresh attempts and the same event id", because),
    asks("quarantine", "/api/outboxes/{outbox}/dead/{sequence}/{destination}/quarantine", "dead",
         ask_for<RequestKind::quarantine>, "Set it aside; what waits behind it may pass", because),
    asks("release", "/api/outboxes/{outbox}/dead/{sequence}/{destination}/release", "dead",
         ask_for<RequestKind::release>, "Out of quarantine: dead again", because),
    asks("annotate", "/api/outboxes/{outbox}/dead/{sequence}/{destination}/annotate", "dead", annotate, "Leave a note",
         {"Note", reads<note_in>}),
});

}  // namespace

Operations dead_operations() { return about_dead; }

}  // namespace makegood::api
