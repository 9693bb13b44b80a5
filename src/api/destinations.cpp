// Destinations: seen with their health and backlog, added, changed, removed, enabled and disabled.
#include <fmt/format.h>

#include <algorithm>

#include "api/asking.hpp"
#include "api/destination_document.hpp"
#include "api/fields.hpp"
#include "api/handlers.hpp"
#include "api/health.hpp"
#include "api/registry_of.hpp"
#include "api/view_json.hpp"

namespace makegood::api {
namespace {

struct Registered {
  LaneView lane;
  Routing routing;
  Backlog backlog;
};

Result<LaneView> lane_of(const Question& question) {
  DeadLetterStore& letters = *MAKEGOOD_TRY(question.desk.letters(question.outbox()));
  return letters.lane();
}

Result<Registered> read_registered(const Question& question) {
  Registered registered;
  registered.lane = MAKEGOOD_TRY(lane_of(question));
  registered.routing = newest_routing(registered.lane);
  OutboxView& view = *MAKEGOOD_TRY(question.desk.view(question.outbox()));
  registered.backlog = MAKEGOOD_TRY(view.backlog());
  return registered;
}

void put_destination_view(Writer& writer, const Destination& destination, const Registered& registered) {
  const Health health = health_of(registered.lane, destination.name);
  const auto& backlogs = registered.backlog.destinations;
  const auto found = std::ranges::find(backlogs, destination.name, &DestinationBacklog::destination);
  const DestinationBacklog backlog =
      found == backlogs.end() ? DestinationBacklog{.destination = destination.name} : *found;
  writer.StartObject();
  put_document(writer, destination);
  json::write_name(writer, "health");
  put_health(writer, health);
  json::write_name(writer, "backlog");
  put_backlog(writer, backlog, health.lag);
  writer.EndObject();
}

Result<std::string> reason_in_query(const Call& call) {
  Mistakes mistakes;
  Fields query = Fields::of_query(call.query, mistakes);
  std::string reason = query.text("reason", reason_rule);
  query.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The query");
  return reason;
}

Result<Answer> configure(const Question& question, const Routing& routing, const RoutingChange& change,
                         std::string reason) {
  auto request = MAKEGOOD_TRY(change_request(routing, change, std::move(reason)));
  if (!request) return nothing_to_do();
  return ask_and_tell(question, *std::move(request));
}

Result<Answer> ask_about_destination(const Question& question, RequestKind kind) {
  NewRequest request{.kind = kind, .destination = question.destination(), .operator_name = {}};
  request.reason = MAKEGOOD_TRY(reason_of(question.call));
  const LaneView lane = MAKEGOOD_TRY(lane_of(question));
  MAKEGOOD_TRY(check_destination(lane, request.destination));
  return ask_and_tell(question, std::move(request));
}

}  // namespace

Result<Answer> list_destinations(const Question& question) {
  const Registered all = MAKEGOOD_TRY(read_registered(question));
  return list_answer(all.routing.destinations, {}, [&](Writer& writer, const Destination& destination) {
    put_destination_view(writer, destination, all);
  });
}

Result<Answer> show_destination(const Question& question) {
  const Registered all = MAKEGOOD_TRY(read_registered(question));
  const Destination& destination = *MAKEGOOD_TRY(registered(all.routing, question.destination()));
  rapidjson::StringBuffer text;
  Writer writer(text);
  put_destination_view(writer, destination, all);
  return Answer{.body = {text.GetString(), text.GetSize()}};
}

Result<Answer> put_destination(const Question& question) {
  std::string reason = MAKEGOOD_TRY(reason_in_query(question.call));
  Mistakes mistakes;
  auto destination =
      destination_from(question.call.body, question.destination(), question.desk.destination_rules(), mistakes);
  if (!destination) return mistakes.as_error("The destination");
  const Routing routing = newest_routing(MAKEGOOD_TRY(lane_of(question)));
  return configure(question, routing, {.destinations = {*std::move(destination)}}, std::move(reason));
}

Result<Answer> remove_destination(const Question& question) {
  std::string reason = MAKEGOOD_TRY(reason_in_query(question.call));
  const Routing routing = newest_routing(MAKEGOOD_TRY(lane_of(question)));
  MAKEGOOD_TRY(registered(routing, question.destination()));
  return configure(question, routing, {.removed_destinations = {question.destination()}}, std::move(reason));
}

Result<Answer> enable_destination(const Question& question) {
  return ask_about_destination(question, RequestKind::resume);
}
Result<Answer> disable_destination(const Question& question) {
  return ask_about_destination(question, RequestKind::pause);
}

}  // namespace makegood::api
