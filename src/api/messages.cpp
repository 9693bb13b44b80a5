// Messages: lists, one with its whole story, and one that is not to be sent.
#include <fmt/format.h>

#include <array>

#include "api/asking.hpp"
#include "api/operation.hpp"
#include "api/paging.hpp"
#include "api/view_json.hpp"

namespace makegood::api {
namespace {

constexpr auto message_states = std::to_array<MessageState>(
    {MessageState::pending, MessageState::leased, MessageState::done, MessageState::dead, MessageState::quarantined});
constexpr std::size_t sequence_digits_max = 19;

std::optional<MessageState> state_in(Fields& query) {
  std::vector<std::string_view> names;
  names.reserve(message_states.size());
  for (const MessageState state : message_states) names.push_back(to_string(state));
  const auto chosen = query.choice("state", names);
  return chosen ? std::optional(message_states.at(*chosen)) : std::nullopt;
}

MessageFilter message_filter(Fields& query) {
  MessageFilter filter{.tenant_id = query.text("tenant", tenant_rule),
                       .topic = query.text("topic", topic_rule),
                       .dispatch_key = query.text("key", {.says = "Only this dispatch key."}),
                       .event_id = query.text("event_id", {.says = "Only this event."})};
  filter.state = state_in(query);
  filter.created_from = query.time("from", "When it was created, this moment included.");
  filter.created_until = query.time("until", "This moment not included.");
  return filter;
}

struct MessageQuery {
  MessageFilter filter;
  std::optional<Sequence> before;
  std::size_t limit;
};
MessageQuery message_query(Fields& query) { return {message_filter(query), number_cursor(query), limit_of(query)}; }

constexpr TextRule whose_event{.says = "Whose event it is, where several tenants have one with this id."};
std::string tenant_query(Fields& query) { return query.text("tenant", whose_event); }

struct CancelBody {
  std::string tenant_id;
  std::string reason;
};
CancelBody cancel_body(Fields& body) { return {body.text("tenant_id", whose_event), reason_in(body)}; }

bool is_sequence(std::string_view text) {
  return text.size() <= sequence_digits_max && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<Sequence> sequence_of(OutboxView& view, const std::string& message, const std::string& tenant) {
  if (is_sequence(message)) return number_in_path(message, "message");
  return view.find_event(tenant, message);
}

void put_messages(Writer& writer, const MessagePage& page) {
  const std::string next = page.next ? fmt::format("{}", *page.next) : std::string();
  put_page(writer, "MessageSummary", page.messages, next, put_summary);
}

struct ShownMessage {
  MessageView view = {};
  bool is_hidden = false;
};
void put_story(Writer& writer, const ShownMessage& shown) {
  put_summary(writer, shown.view.summary);
  const Message none;
  put_content(writer, shown.view.message == nullptr ? none : *shown.view.message, shown.is_hidden);
  put_objects(writer, "deliveries", "Delivery", shown.view.deliveries, put_delivery);
  put_objects(writer, "requests", "Request", shown.view.requests, put_request);
}

Result<Answer> list_messages(const RoutedCall& routed) {
  const auto [filter, before, limit] = MAKEGOOD_TRY(read_query(routed.call, message_query));

  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  return answer_of(MAKEGOOD_TRY(view.list(filter, before, limit)), put_messages);
}

Result<Answer> show_message(const RoutedCall& routed) {
  const std::string tenant = MAKEGOOD_TRY(read_query(routed.call, tenant_query));

  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  const Sequence sequence = MAKEGOOD_TRY(sequence_of(view, routed.path.at("message"), tenant));
  return answer_of(ShownMessage{MAKEGOOD_TRY(view.story(sequence)), !routed.call.sees_contents}, put_story);
}

Result<Answer> cancel_message(const RoutedCall& routed) {
  const CancelBody body = MAKEGOOD_TRY(read_body(routed.call, cancel_body));
  NewRequest request{.kind = RequestKind::cancel_message, .destination = {}, .operator_name = {}};
  request.reason = body.reason;

  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  request.sequence = MAKEGOOD_TRY(sequence_of(view, routed.path.at("message"), body.tenant_id));
  MAKEGOOD_TRY(view.story(request.sequence));  // Whether there is one.
  return ask_and_tell(routed, std::move(request));
}

constexpr auto about_messages = std::to_array<Operation>({
    shows("list_messages", "/api/outboxes/{outbox}/messages", "messages", list_messages, "Messages, the newest first",
          {200, "A page.", "MessageList", writes<put_messages>}, reads<message_query>),
    {.id = "show_message",
     .method = "GET",
     .path = "/api/outboxes/{outbox}/messages/{message}",
     .handler = show_message,
     .tag = "messages",
     .summary = "One message with its content and its whole story",
     .query = reads<tenant_query>,
     .replies = {Reply{200, "Each attempt, when, by which owner, to where, and what came of it.", "MessageStory",
                       writes<put_story>}},
     .also = {409}},
    asks("cancel_message", "/api/outboxes/{outbox}/messages/{message}/cancel", "messages", cancel_message,
         "Send nothing more of a message; what is in flight is not taken back, and the answer says so",
         {"CancelMessage", reads<cancel_body>}),
});

}  // namespace

Operations message_operations() { return about_messages; }

}  // namespace makegood::api
