#include "base/routing_json.hpp"

#include <array>
#include <limits>

namespace makegood::json {
namespace {

constexpr std::array<std::string_view, 3> ordering_names = {"block", "skip", "block_on_dead"};

void write_retry(Writer& writer, const RetryPolicy& retry) {
  writer.StartObject();
  write(writer, "attempts_max", std::int64_t{retry.attempts_max});
  write(writer, "base_us", retry.base.count());
  write(writer, "cap_us", retry.cap.count());
  write(writer, "factor", retry.factor);
  write(writer, "jitter", retry.jitter);
  write_name(writer, "schedule_us");
  writer.StartArray();
  for (const Duration delay : retry.schedule) writer.Int64(delay.count());
  writer.EndArray();
  write(writer, "retry_after_max_us", retry.retry_after_max.count());
  writer.EndObject();
}

Result<std::uint32_t> count_in(const Value& object, const char* name, std::uint32_t absent) {
  const std::int64_t count = MAKEGOOD_TRY(number_in(object, name, std::int64_t{absent}));
  if (count < 0 || count > std::numeric_limits<std::uint32_t>::max()) return damage(name);
  return static_cast<std::uint32_t>(count);
}

Result<Duration> duration_in(const Value& object, const char* name, Duration absent) {
  return Duration(MAKEGOOD_TRY(number_in(object, name, absent.count())));
}

Result<std::vector<Duration>> schedule_in(const Value& object) {
  std::vector<Duration> schedule;
  if (member(object, "schedule_us") == nullptr) return schedule;
  const Value* delays = MAKEGOOD_TRY(array_in(object, "schedule_us"));
  for (const auto& delay : delays->GetArray()) {
    if (!delay.IsInt64()) return damage("schedule_us");
    schedule.emplace_back(delay.GetInt64());
  }
  return schedule;
}

Result<RetryPolicy> retry_in(const Value& object) {
  const RetryPolicy absent;
  if (member(object, "retry") == nullptr) return absent;
  const Value& value = *MAKEGOOD_TRY(object_in(object, "retry"));
  return RetryPolicy{.attempts_max = MAKEGOOD_TRY(count_in(value, "attempts_max", absent.attempts_max)),
                     .base = MAKEGOOD_TRY(duration_in(value, "base_us", absent.base)),
                     .factor = MAKEGOOD_TRY(real_in(value, "factor", absent.factor)),
                     .jitter = MAKEGOOD_TRY(real_in(value, "jitter", absent.jitter)),
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
  const std::string text = MAKEGOOD_TRY(text_in(object, "ordering"));
  for (std::size_t index = 0; index < ordering_names.size(); ++index) {
    if (ordering_names.at(index) == text) return static_cast<Ordering>(index);
  }
  return damage("ordering");
}

}  // namespace

void write_route(Writer& writer, const Route& route) {
  writer.StartObject();
  write(writer, "pattern", std::string_view(route.pattern));
  write(writer, "destination", std::string_view(route.destination));
  writer.EndObject();
}

void write_destination(Writer& writer, const Destination& destination) {
  writer.StartObject();
  write(writer, "name", std::string_view(destination.name));
  write(writer, "in_flight_max", static_cast<std::int64_t>(destination.in_flight_max));
  write(writer, "rate_max", destination.rate_max);
  write(writer, "timeout_us", destination.timeout.count());
  write(writer, "ordering", ordering_names.at(static_cast<std::size_t>(destination.ordering)));
  write(writer, "circuit_failures_max", std::int64_t{destination.circuit.failures_max});
  write(writer, "circuit_wait_min_us", destination.circuit.wait_min.count());
  write(writer, "circuit_wait_max_us", destination.circuit.wait_max.count());
  write(writer, "disable_after_us", destination.disable_after.count());
  if (!destination.tenant_id.empty()) write(writer, "tenant_id", std::string_view(destination.tenant_id));
  if (!destination.settings.empty()) write(writer, "settings", std::string_view(destination.settings));
  write_name(writer, "retry");
  write_retry(writer, destination.retry);
  writer.EndObject();
}

Result<Route> route_from(const Value& value) {
  if (!value.IsObject()) return damage("a route is not an object");
  Route route{.pattern = MAKEGOOD_TRY(text_in(value, "pattern")),
              .destination = MAKEGOOD_TRY(text_in(value, "destination"))};
  if (route.pattern.empty() || route.destination.empty()) return damage("a route without pattern or destination");
  return route;
}

Result<Destination> destination_from(const Value& value) {
  if (!value.IsObject()) return damage("a destination is not an object");
  const Destination absent;
  const std::int64_t in_flight_max =
      MAKEGOOD_TRY(number_in(value, "in_flight_max", static_cast<std::int64_t>(absent.in_flight_max)));
  if (in_flight_max < 0) return damage("in_flight_max");
  Destination destination{
      .name = MAKEGOOD_TRY(text_in(value, "name")),
      .in_flight_max = static_cast<std::size_t>(in_flight_max),
      .rate_max = MAKEGOOD_TRY(real_in(value, "rate_max", absent.rate_max)),
      .timeout = MAKEGOOD_TRY(duration_in(value, "timeout_us", absent.timeout)),
      .retry = MAKEGOOD_TRY(retry_in(value)),
      .ordering = MAKEGOOD_TRY(ordering_in(value)),
      .circuit = MAKEGOOD_TRY(circuit_in(value)),
      .disable_after = MAKEGOOD_TRY(duration_in(value, "disable_after_us", absent.disable_after)),
      .tenant_id = MAKEGOOD_TRY(text_in(value, "tenant_id")),
      .settings = MAKEGOOD_TRY(text_in(value, "settings")),
  };
  if (!is_destination_name(destination.name)) return damage("the name of a destination");
  return destination;
}

}  // namespace makegood::json
