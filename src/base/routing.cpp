#include "makegood/routing.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/json.hpp"

namespace makegood {
namespace {

using json::Value;
using json::Writer;

constexpr std::array<std::string_view, 3> ordering_names = {"block", "skip", "block_on_dead"};

void write_route(Writer& writer, const Route& route) {
  writer.StartObject();
  json::write(writer, "pattern", std::string_view(route.pattern));
  json::write(writer, "destination", std::string_view(route.destination));
  writer.EndObject();
}

void write_retry(Writer& writer, const RetryPolicy& retry) {
  writer.StartObject();
  json::write(writer, "attempts_max", std::int64_t{retry.attempts_max});
  json::write(writer, "base_us", retry.base.count());
  json::write(writer, "cap_us", retry.cap.count());
  json::write(writer, "factor", retry.factor);
  json::write(writer, "jitter", retry.jitter);
  json::write_name(writer, "schedule_us");
  writer.StartArray();
  for (const Duration delay : retry.schedule) writer.Int64(delay.count());
  writer.EndArray();
  json::write(writer, "retry_after_max_us", retry.retry_after_max.count());
  writer.EndObject();
}

void write_destination(Writer& writer, const Destination& destination) {
  writer.StartObject();
  json::write(writer, "name", std::string_view(destination.name));
  json::write(writer, "in_flight_max", static_cast<std::int64_t>(destination.in_flight_max));
  json::write(writer, "rate_max", destination.rate_max);
  json::write(writer, "timeout_us", destination.timeout.count());
  json::write(writer, "ordering", ordering_names.at(static_cast<std::size_t>(destination.ordering)));
  json::write(writer, "circuit_failures_max", std::int64_t{destination.circuit.failures_max});
  json::write(writer, "circuit_wait_min_us", destination.circuit.wait_min.count());
  json::write(writer, "circuit_wait_max_us", destination.circuit.wait_max.count());
  json::write(writer, "disable_after_us", destination.disable_after.count());
  if (!destination.tenant_id.empty()) json::write(writer, "tenant_id", std::string_view(destination.tenant_id));
  if (!destination.settings.empty()) json::write(writer, "settings", std::string_view(destination.settings));
  json::write_name(writer, "retry");
  write_retry(writer, destination.retry);
  writer.EndObject();
}

Result<std::uint32_t> count_in(const Value& object, const char* name, std::uint32_t absent) {
  const std::int64_t count = MAKEGOOD_TRY(json::number_in(object, name, std::int64_t{absent}));
  if (count < 0 || count > std::numeric_limits<std::uint32_t>::max()) return json::damage(name);
  return static_cast<std::uint32_t>(count);
}

Result<Duration> duration_in(const Value& object, const char* name, Duration absent) {
  return Duration(MAKEGOOD_TRY(json::number_in(object, name, absent.count())));
}

Result<std::vector<Duration>> schedule_in(const Value& object) {
  std::vector<Duration> schedule;
  if (json::member(object, "schedule_us") == nullptr) return schedule;
  const Value* delays = MAKEGOOD_TRY(json::array_in(object, "schedule_us"));
  for (const auto& delay : delays->GetArray()) {
    if (!delay.IsInt64()) return json::damage("schedule_us");
    schedule.emplace_back(delay.GetInt64());
  }
  return schedule;
}

Result<RetryPolicy> retry_in(const Value& object) {
  const RetryPolicy absent;
  if (json::member(object, "retry") == nullptr) return absent;
  const Value& value = *MAKEGOOD_TRY(json::object_in(object, "retry"));
  return RetryPolicy{.attempts_max = MAKEGOOD_TRY(count_in(value, "attempts_max", absent.attempts_max)),
                     .base = MAKEGOOD_TRY(duration_in(value, "base_us", absent.base)),
                     .factor = MAKEGOOD_TRY(json::real_in(value, "factor", absent.factor)),
                     .jitter = MAKEGOOD_TRY(json::real_in(value, "jitter", absent.jitter)),
                     .cap = MAKEGOOD_TRY(duration_in(value, "cap_us", absent.cap)),
                     .schedule = MAKEGOOD_TRY(schedule_in(value)),
                     .retry_after_max = MAKEGOOD_TRY(duration_in(value, "retry_after_max_us", absent.retry_after_max))};
}

Result<CircuitPolicy> circuit_in(const Value& object) {
  const CircuitPolicy absent;
  return CircuitPolicy{
      .failures_max = MAKEGOOD_TRY(count_in(object, "circuit_failures_max", absent.failures_max)),
      .wait_min = MAKEGOOD_TRY(duration_in(object, "circuit_wait_min_us", absent.wait_min)),
      .wait_max = MAKEGOOD_TRY(duration_in(object, "circuit_wait_max_us", absent.wait_max)),
  };
}

Result<Ordering> ordering_in(const Value& object) {
  const std::string text = MAKEGOOD_TRY(json::text_in(object, "ordering"));
  for (std::size_t index = 0; index < ordering_names.size(); ++index) {
    if (ordering_names.at(index) == text) return static_cast<Ordering>(index);
  }
  return json::damage("ordering");
}

Result<Destination> destination_from(const Value& value) {
  if (!value.IsObject()) return json::damage("a destination is not an object");
  const Destination absent;
  const std::int64_t in_flight_max =
      MAKEGOOD_TRY(json::number_in(value, "in_flight_max", static_cast<std::int64_t>(absent.in_flight_max)));
  if (in_flight_max < 0) return json::damage("in_flight_max");
  Destination destination{
      .name = MAKEGOOD_TRY(json::text_in(value, "name")),
      .in_flight_max = static_cast<std::size_t>(in_flight_max),
      .rate_max = MAKEGOOD_TRY(json::real_in(value, "rate_max", absent.rate_max)),
      .timeout = MAKEGOOD_TRY(duration_in(value, "timeout_us", absent.timeout)),
      .retry = MAKEGOOD_TRY(retry_in(value)),
      .ordering = MAKEGOOD_TRY(ordering_in(value)),
      .circuit = MAKEGOOD_TRY(circuit_in(value)),
      .disable_after = MAKEGOOD_TRY(duration_in(value, "disable_after_us", absent.disable_after)),
      .tenant_id = MAKEGOOD_TRY(json::text_in(value, "tenant_id")),
      .settings = MAKEGOOD_TRY(json::text_in(value, "settings")),
  };
  if (!is_destination_name(destination.name)) return json::damage("the name of a destination");
  return destination;
}

Result<Route> route_from(const Value& value) {
  if (!value.IsObject()) return json::damage("a route is not an object");
  Route route{.pattern = MAKEGOOD_TRY(json::text_in(value, "pattern")),
              .destination = MAKEGOOD_TRY(json::text_in(value, "destination"))};
  if (route.pattern.empty() || route.destination.empty()) return json::damage("a route without pattern or destination");
  return route;
}

Result<Routing> routing_from(std::string_view text) {
  const rapidjson::Document document = MAKEGOOD_TRY(json::parse_object(text));
  const Value* routes = MAKEGOOD_TRY(json::array_in(document, "routes"));
  const Value* destinations = MAKEGOOD_TRY(json::array_in(document, "destinations"));
  Routing routing;
  for (const auto& route : routes->GetArray()) routing.routes.push_back(MAKEGOOD_TRY(route_from(route)));
  for (const auto& destination : destinations->GetArray()) {
    routing.destinations.push_back(MAKEGOOD_TRY(destination_from(destination)));
  }
  return routing;
}

}  // namespace

std::string encode(const Routing& routing) {
  rapidjson::StringBuffer text;
  Writer writer(text);
  writer.StartObject();
  writer.Key("routes");
  writer.StartArray();
  for (const Route& route : routing.routes) write_route(writer, route);
  writer.EndArray();
  writer.Key("destinations");
  writer.StartArray();
  for (const Destination& destination : routing.destinations) write_destination(writer, destination);
  writer.EndArray();
  writer.EndObject();
  return {text.GetString(), text.GetSize()};
}

Result<Routing> decode_routing(std::string_view json) {
  auto routing = routing_from(json);
  if (!routing) {
    routing.error().message = "A stored version of the routes cannot be read; restore its table from a backup.";
  }
  return routing;
}

bool wants(const Filter& filter, std::string_view topic, std::string_view tenant_id, std::string_view dispatch_key,
           int priority) {
  if (filter.scope && !contains(*filter.scope, tenant_id, dispatch_key, priority)) return false;
  const auto is_carried_elsewhere = [&](const Route& route) {
    return std::ranges::any_of(filter.elsewhere, [&](const Scope& scope) {
      return scope.destination == route.destination && contains(scope, tenant_id, dispatch_key, priority);
    });
  };
  bool has_route = false;
  for (const Route& route : filter.routes) {
    if (filter.scope && route.destination != filter.scope->destination) continue;
    if (!matches(route.pattern, topic)) continue;
    has_route = true;
    if (!is_carried_elsewhere(route)) return true;
  }
  return !has_route && !filter.scope;
}

}  // namespace makegood
