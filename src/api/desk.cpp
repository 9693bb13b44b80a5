#include "api/desk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/mistakes.hpp"
#include "base/nearest.hpp"
#include "makegood/http.hpp"
#include "makegood/registry.hpp"

namespace makegood::api {
namespace {

/// A store that is not there is away: what is asked for in it may well exist.
template <class T>
Result<T> opened(Result<T> result) {
  if (!result && result.error().code == Errc::not_found) result.error().code = Errc::store_unavailable;
  return result;
}

}  // namespace

Result<> Desk::check_outbox(const std::string& outbox) const {
  const std::vector<std::string>& known = surroundings_.outboxes;
  if (std::ranges::find(known, outbox) != known.end()) return {};
  const std::string meant = nearest(outbox, known, '_');
  const std::string hint =
      meant.empty() ? fmt::format("There are: {}.", fmt::join(known, ", ")) : fmt::format("Is it {}?", meant);
  return Error{Errc::not_found, fmt::format("There is no outbox '{}' here. {}", shown(outbox), hint)};
}

Result<DeadLetterStore*> Desk::letters(const std::string& outbox) {
  MAKEGOOD_TRY(check_outbox(outbox));
  auto& open = connections_[outbox].letters;
  if (open == nullptr) open = MAKEGOOD_TRY(opened(open_dead_letters(surroundings_.store_url, outbox)));
  return open.get();
}

Result<OutboxView*> Desk::view(const std::string& outbox) {
  MAKEGOOD_TRY(check_outbox(outbox));
  auto& open = connections_[outbox].view;
  if (open == nullptr) open = MAKEGOOD_TRY(opened(open_outbox_view(surroundings_.store_url, outbox)));
  return open.get();
}

Result<OutboxStore*> Desk::store(const std::string& outbox) {
  MAKEGOOD_TRY(check_outbox(outbox));
  auto& open = connections_[outbox].store;
  if (open == nullptr) open = MAKEGOOD_TRY(opened(open_store(surroundings_.store_url, outbox, false)));
  return open.get();
}

Result<Transport*> Desk::http() {
  if (surroundings_.http != nullptr) return surroundings_.http;
  if (http_ != nullptr) return http_.get();
  HttpOptions options = surroundings_.http_options;
  options.threads = 1;
  http_ = MAKEGOOD_TRY(new_http_transport(std::move(options)));
  return http_.get();
}

DestinationRules Desk::destination_rules() const {
  const auto& defaults = surroundings_.destination_defaults;
  return {.defaults = defaults ? defaults() : Destination{}, .http = surroundings_.http_options};
}

}  // namespace makegood::api
