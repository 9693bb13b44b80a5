#include "api/api.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "api/asking.hpp"
#include "api/body.hpp"
#include "api/connections.hpp"
#include "api/route_table.hpp"
#include "base/error_table.hpp"
#include "base/nearest.hpp"

namespace makegood::api {
namespace {

/// What was said of one store's connection says nothing of the next one.
bool may_be_the_connection(Errc code) { return fault_of(code) != Fault::caller; }

Answer no_such_path(const Call& call, const NoSuchPath& why) {
  if (why.is_bad_escape) {
    return problem(Error{Errc::invalid, "The path has an escape that is not %XX of valid UTF-8."});
  }
  std::vector<std::string> known;
  for (const RouteView& route : routes()) known.emplace_back(route.path);
  const std::string meant = nearest(call.path, known, '/');
  const std::string hint = meant.empty() ? "GET /api/openapi.yaml lists them." : fmt::format("Is it {}?", meant);
  return problem(Error{Errc::not_found, fmt::format("There is no path '{}'. {}", shown(call.path), hint)});
}

Answer other_methods(const Call& call, const OtherMethods& others) {
  const std::string allowed = fmt::format("{}", fmt::join(others.allowed, ", "));
  Answer answer =
      problem(405, {Errc::invalid, fmt::format("{} is not possible here; allowed: {}.", shown(call.method), allowed)});
  answer.headers.emplace_back("Allow", allowed);
  return answer;
}

}  // namespace

class Api::Parts {
 public:
  explicit Parts(const ApiContext& api_context) : connections_(api_context) {}

  Answer handle(const Call& call) {
    auto route = find_route(call.method, call.path);
    if (const auto* nowhere = std::get_if<NoSuchPath>(&route)) return no_such_path(call, *nowhere);
    if (const auto* others = std::get_if<OtherMethods>(&route)) return other_methods(call, *others);
    auto& found = std::get<FoundRoute>(route);
    if (found.operation->handler == nullptr) {
      return problem(Error{Errc::not_found, fmt::format("Only a server has {}.", found.operation->path)});
    }
    if (auto objection = objection_to_body(call)) return *std::move(objection);
    if (auto fine = found.operation->query != nullptr ? Result<>() : refuse_query(call); !fine)
      return problem(fine.error());
    const auto answer =
        found.operation->handler({.call = call, .connections = connections_, .path = std::move(found.parameters)});
    if (answer) return *answer;
    if (may_be_the_connection(answer.error().code)) connections_.hang_up();
    return problem(answer.error());
  }

 private:
  Connections connections_;
};

Api::Api(const ApiContext& api_context) : parts_(std::make_unique<Parts>(api_context)) {}
Api::~Api() = default;
Api::Api(Api&&) noexcept = default;
Api& Api::operator=(Api&&) noexcept = default;
Answer Api::begin(const Call& call) { return parts_->handle(call); }

Answer Api::handle(const Call& call) {
  Answer answer = begin(call);
  while (answer.later != nullptr) {
    const std::shared_ptr<const Later> later = std::move(answer.later);
    std::this_thread::sleep_for(later->in);
    answer = begin(later->call);
  }
  return answer;
}

}  // namespace makegood::api
