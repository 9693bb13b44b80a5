// What operators have asked for, and what became of it.
#include <fmt/format.h>

#include "api/handlers.hpp"
#include "api/paging.hpp"
#include "api/view_json.hpp"

namespace makegood::api {

Result<Answer> list_requests(const Question& question) {
  Mistakes mistakes;
  Fields query = Fields::of_query(question.call.query, mistakes);
  const auto before = number_cursor(query);
  const std::size_t limit = limit_of(query);
  query.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The query");

  OutboxView& view = *MAKEGOOD_TRY(question.desk.view(question.outbox()));
  const auto requests = MAKEGOOD_TRY(view.list_requests(before, limit));
  const std::string next = requests.size() < limit ? std::string() : fmt::format("{}", requests.back().id);
  return list_answer(requests, next, put_request);
}

Result<Answer> show_request(const Question& question) {
  const std::int64_t id = MAKEGOOD_TRY(number_in_path(question.path.at("request"), "request"));
  OutboxView& view = *MAKEGOOD_TRY(question.desk.view(question.outbox()));
  // The newest before the next one is this one, if it exists at all.
  const auto before = id == std::numeric_limits<std::int64_t>::max() ? std::nullopt : std::optional(id + 1);
  const auto found = MAKEGOOD_TRY(view.list_requests(before, 1));
  if (found.empty() || found.front().id != id) {
    return Error{Errc::not_found, fmt::format("There is no request {}.", id)};
  }
  rapidjson::StringBuffer text;
  Writer writer(text);
  put_request(writer, found.front());
  return Answer{.body = {text.GetString(), text.GetSize()}};
}

}  // namespace makegood::api
