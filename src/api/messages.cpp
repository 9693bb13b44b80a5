// Messages: lists, and one with its whole story.
#include <fmt/format.h>

#include <array>

#include "api/handlers.hpp"
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
  MessageFilter filter{.tenant_id = query.text("tenant"),
                       .topic = query.text("topic"),
                       .dispatch_key = query.text("key"),
                       .event_id = query.text("event_id")};
  filter.state = state_in(query);
  filter.created_from = query.time("from");
  filter.created_until = query.time("until");
  return filter;
}

bool is_sequence(std::string_view text) {
  return text.size() <= sequence_digits_max && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<Sequence> sequence_of(OutboxView& view, const std::string& message, const std::string& tenant) {
  if (is_sequence(message)) return number_in_path(message, "message");
  return view.find_event(tenant, message);
}

}  // namespace

Result<Answer> list_messages(const Question& question) {
  Mistakes mistakes;
  Fields query = Fields::of_query(question.call.query, mistakes);
  const MessageFilter filter = message_filter(query);
  const auto before = number_cursor(query);
  const std::size_t limit = limit_of(query);
  query.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The query");

  OutboxView& view = *MAKEGOOD_TRY(question.desk.view(question.outbox()));
  const MessagePage page = MAKEGOOD_TRY(view.list(filter, before, limit));
  const std::string next = page.next ? fmt::format("{}", *page.next) : std::string();
  return list_answer(page.messages, next, [](Writer& writer, const MessageSummary& summary) {
    writer.StartObject();
    put_summary(writer, summary);
    writer.EndObject();
  });
}

Result<Answer> show_message(const Question& question) {
  Mistakes mistakes;
  Fields query = Fields::of_query(question.call.query, mistakes);
  const std::string tenant = query.text("tenant");
  query.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The query");

  OutboxView& view = *MAKEGOOD_TRY(question.desk.view(question.outbox()));
  const Sequence sequence = MAKEGOOD_TRY(sequence_of(view, question.path.at("message"), tenant));
  const MessageView story = MAKEGOOD_TRY(view.story(sequence));
  return object_answer(200, [&](Writer& writer) {
    put_summary(writer, story.summary);
    put_content(writer, *story.message);
    put_array(writer, "deliveries", story.deliveries, put_delivery);
    put_array(writer, "requests", story.requests, put_request);
  });
}

}  // namespace makegood::api
