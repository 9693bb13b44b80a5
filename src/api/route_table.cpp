#include "api/route_table.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "api/handlers.hpp"
#include "api/path.hpp"
#include "makegood_api_sql.hpp"

namespace makegood::api {
namespace {

using enum Role;

constexpr bool reads_query = true;

Result<Answer> show_openapi(const Question& /*question*/) {
  return Answer{.content_type = "application/yaml", .body = std::string(openapi())};
}

constexpr std::array table = std::to_array<TableRow>({
    {"GET", "/api/status", viewer, show_status},
    {"GET", "/api/outboxes", viewer, list_outboxes},
    {"GET", "/api/outboxes/{outbox}", viewer, show_outbox},
    {"GET", "/api/outboxes/{outbox}/messages", viewer, list_messages, reads_query},
    {"POST", "/api/outboxes/{outbox}/messages", operate, enqueue},
    {"GET", "/api/outboxes/{outbox}/messages/{message}", viewer, show_message, reads_query},
    {"GET", "/api/outboxes/{outbox}/blocked", viewer, list_blocked, reads_query},
    {"POST", "/api/outboxes/{outbox}/unblock", operate, unblock},
    {"GET", "/api/outboxes/{outbox}/sides", viewer, list_sides},
    {"POST", "/api/outboxes/{outbox}/pause", operate, pause},
    {"POST", "/api/outboxes/{outbox}/resume", operate, resume},
    {"POST", "/api/outboxes/{outbox}/history", operate, replay_history},
    {"POST", "/api/outboxes/{outbox}/cancel", operate, cancel_history},
    {"POST", "/api/outboxes/{outbox}/rewind", operate, rewind},
    {"GET", "/api/outboxes/{outbox}/requests", viewer, list_requests, reads_query},
    {"GET", "/api/outboxes/{outbox}/requests/{request}", viewer, show_request},
    {"GET", "/api/outboxes/{outbox}/destinations", viewer, list_destinations},
    {"GET", "/api/outboxes/{outbox}/destinations/{destination}", viewer, show_destination},
    {"PUT", "/api/outboxes/{outbox}/destinations/{destination}", operate, put_destination, reads_query},
    {"DELETE", "/api/outboxes/{outbox}/destinations/{destination}", operate, remove_destination, reads_query},
    {"POST", "/api/outboxes/{outbox}/destinations/{destination}/test", operate, test_destination},
    {"POST", "/api/outboxes/{outbox}/destinations/{destination}/enable", operate, enable_destination},
    {"POST", "/api/outboxes/{outbox}/destinations/{destination}/disable", operate, disable_destination},
    {"GET", "/api/outboxes/{outbox}/routes", viewer, show_routes},
    {"PUT", "/api/outboxes/{outbox}/routes", operate, put_routes},
    {"POST", "/api/outboxes/{outbox}/apply", operate, apply_document},
    {"GET", "/api/outboxes/{outbox}/dead", viewer, list_dead, reads_query},
    {"GET", "/api/outboxes/{outbox}/dead/groups", viewer, group_dead, reads_query},
    {"POST", "/api/outboxes/{outbox}/dead/replay", operate, replay_by_filter},
    {"GET", "/api/outboxes/{outbox}/dead/{sequence}/{destination}", viewer, show_dead},
    {"POST", "/api/outboxes/{outbox}/dead/{sequence}/{destination}/replay", operate, replay_one},
    {"POST", "/api/outboxes/{outbox}/dead/{sequence}/{destination}/quarantine", operate, quarantine},
    {"POST", "/api/outboxes/{outbox}/dead/{sequence}/{destination}/release", operate, release},
    {"POST", "/api/outboxes/{outbox}/dead/{sequence}/{destination}/annotate", operate, annotate},
    {"GET", "/api/jobs", viewer, list_jobs},
    {"GET", "/api/jobs/{job}", viewer, show_job},
    {"DELETE", "/api/jobs/{job}", operate, cancel_job},
    {"GET", "/api/openapi.yaml", viewer, show_openapi},
    {"GET", "/api/events", viewer, nullptr},
    {"GET", "/healthz", viewer, nullptr},
    {"GET", "/readyz", viewer, nullptr},
    {"GET", "/metrics", viewer, nullptr},
    {"GET", "/debug/prometheus", viewer, nullptr},
});

bool is_parameter(std::string_view part) { return part.starts_with('{'); }

/// Two paths walked side by side. This happens for each row of the table at each call, so it allocates nothing.
class SideBySide {
 public:
  SideBySide(std::string_view path_template, std::string_view path) : template_(path_template), path_(path) {}

  /// False when one of them has ended.
  bool next() {
    if (template_.empty() || path_.empty()) return false;
    wanted = take(template_);
    part = take(path_);
    return true;
  }
  bool have_both_ended() const { return template_.empty() && path_.empty(); }

  std::string_view wanted = {};
  std::string_view part = {};

 private:
  /// What is between this slash and the next.
  static std::string_view take(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('/', 1), rest.size());
    const std::string_view part = rest.substr(1, end - 1);
    rest.remove_prefix(end);
    return part;
  }

  std::string_view template_;
  std::string_view path_;
};

bool is_match(std::string_view path_template, std::string_view path) {
  SideBySide both(path_template, path);
  while (both.next()) {
    if (both.part.empty() || (!is_parameter(both.wanted) && both.wanted != both.part)) return false;
  }
  return both.have_both_ended();
}

/// Nothing: an escape is wrong.
std::optional<std::map<std::string, std::string, std::less<>>> parameters_in(std::string_view path_template,
                                                                             std::string_view path) {
  std::map<std::string, std::string, std::less<>> parameters;
  SideBySide both(path_template, path);
  while (both.next()) {
    if (!is_parameter(both.wanted)) continue;
    auto decoded = percent_decoded(both.part);
    if (!decoded) return std::nullopt;
    parameters.emplace(both.wanted.substr(1, both.wanted.size() - 2), *std::move(decoded));
  }
  return parameters;
}

}  // namespace

std::span<const TableRow> route_table() { return table; }

std::variant<Found, NoSuchPath, OtherMethods> find_route(std::string_view method, std::string_view path) {
  if (!path.starts_with('/')) return NoSuchPath{};
  OtherMethods others;
  for (const TableRow& row : table) {
    if (!is_match(row.path, path)) continue;
    if (row.method != method) {
      others.allowed.emplace_back(row.method);
      continue;
    }
    auto parameters = parameters_in(row.path, path);
    if (!parameters) return NoSuchPath{.is_bad_escape = true};
    return Found{.row = &row, .parameters = *std::move(parameters)};
  }
  if (others.allowed.empty()) return NoSuchPath{};
  return others;
}

std::vector<RouteView> routes() {
  std::vector<RouteView> views;
  views.reserve(table.size());
  for (const TableRow& row : table) views.push_back({row.method, row.path, row.role});
  return views;
}

Role role_for(std::string_view method, std::string_view path) {
  const auto found = find_route(method, path);
  const auto* route = std::get_if<Found>(&found);
  return route == nullptr ? viewer : route->row->role;
}

std::string_view openapi() { return documents::openapi; }

}  // namespace makegood::api
