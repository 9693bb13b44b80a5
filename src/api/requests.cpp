// What operators have asked for, and what became of it.
#include <fmt/format.h>

#include <array>

#include "api/operation.hpp"
#include "api/paging.hpp"
#include "api/view_json.hpp"

namespace makegood::api {
namespace {

struct RequestQuery {
  std::optional<std::int64_t> before;
  std::size_t limit;
};
RequestQuery request_query(Fields& query) { return {number_cursor(query), limit_of(query)}; }

struct RequestPage {
  std::vector<RequestView> requests = {};
  std::string next = {};
};
void put_requests(Writer& writer, const RequestPage& page) {
  put_page(writer, "Request", page.requests, page.next, put_request);
}

Result<Answer> list_requests(const RoutedCall& routed) {
  const auto [before, limit] = MAKEGOOD_TRY(read_query(routed.call, request_query));

  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  RequestPage page{.requests = MAKEGOOD_TRY(view.list_requests(before, limit))};
  if (page.requests.size() >= limit) page.next = fmt::format("{}", page.requests.back().id);
  return answer_of(page, put_requests);
}

Result<Answer> show_request(const RoutedCall& routed) {
  const std::int64_t id = MAKEGOOD_TRY(number_in_path(routed.path.at("request"), "request"));
  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  // The newest before the next one is this one, if it exists at all.
  const auto before = id == std::numeric_limits<std::int64_t>::max() ? std::nullopt : std::optional(id + 1);
  const auto found = MAKEGOOD_TRY(view.list_requests(before, 1));
  if (found.empty() || found.front().id != id) {
    return Error{Errc::not_found, fmt::format("There is no request {}.", id)};
  }
  return answer_of(found.front(), put_request);
}

constexpr auto about_requests = std::to_array<Operation>({
    shows("list_requests", "/api/outboxes/{outbox}/requests", "lanes", list_requests,
          "What operators have asked for, the newest first", {200, "A page.", "RequestList", writes<put_requests>},
          reads<request_query>),
    shows("show_request", "/api/outboxes/{outbox}/requests/{request}", "lanes", show_request,
          "What became of a request",
          {200, "`result` is `open` until the owner has carried it out.", "Request", writes<put_request>}),
});

}  // namespace

Operations request_operations() { return about_requests; }

}  // namespace makegood::api
