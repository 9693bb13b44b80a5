#include "api/destination_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/fields.hpp"

namespace makegood::api {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view http_scheme = "http:";
constexpr auto ordering_names = std::to_array<std::string_view>({"block", "skip", "block_on_dead"});
constexpr std::int64_t year_ms = 31'536'000'000;
constexpr IntegerRange count_range{1, 1'000'000};
constexpr IntegerRange failures_range{0, 1'000'000};
constexpr IntegerRange timeout_range{1, 3'600'000};
constexpr IntegerRange delay_range{1, year_ms};
constexpr IntegerRange pause_range{0, year_ms};
constexpr RealRange rate_range{0, 1e9};
constexpr RealRange factor_range{1, 1000};
constexpr RealRange jitter_range{0, 1};
constexpr std::size_t delays_max = 1000;

void take_duration(Fields& fields, std::string_view name, IntegerRange range, Duration& duration) {
  if (const auto number = fields.integer(name, range)) duration = milliseconds(*number);
}

void take_count(Fields& fields, std::string_view name, IntegerRange range, auto& count) {
  if (const auto number = fields.integer(name, range)) {
    count = static_cast<std::remove_reference_t<decltype(count)>>(*number);
  }
}

void take_real(Fields& fields, std::string_view name, RealRange range, double& real) {
  if (const auto number = fields.real(name, range)) real = *number;
}

/// A document that says how delays grow does not want the list of delays that others begin with.
void take_schedule(Fields& members, RetryPolicy& retry) {
  constexpr auto growing = std::to_array<std::string_view>({"attempts_max", "base_ms", "factor", "jitter", "cap_ms"});
  const bool grows = std::ranges::any_of(growing, [&](std::string_view name) { return members.has(name); });
  if (grows || members.has("schedule_ms")) retry.schedule.clear();
  for (const std::int64_t delay : members.integers("schedule_ms", pause_range, delays_max)) {
    retry.schedule.emplace_back(milliseconds(delay));
  }
}

void take_retry(Fields& fields, RetryPolicy& retry, Mistakes& mistakes, const std::string& prefix) {
  const JsonValue* object = fields.object("retry");
  if (object == nullptr) return;
  Fields members = Fields::of_object(object->source, mistakes, prefix + "retry.");
  take_count(members, "attempts_max", count_range, retry.attempts_max);
  take_duration(members, "base_ms", delay_range, retry.base);
  take_real(members, "factor", factor_range, retry.factor);
  take_real(members, "jitter", jitter_range, retry.jitter);
  take_duration(members, "cap_ms", delay_range, retry.cap);
  take_schedule(members, retry);
  take_duration(members, "retry_after_max_ms", pause_range, retry.retry_after_max);
  if (retry.cap < retry.base) members.mistake("cap_ms", "is below base_ms");
  members.refuse_the_rest();
}

void take_circuit(Fields& fields, CircuitPolicy& circuit, Mistakes& mistakes, const std::string& prefix) {
  const JsonValue* object = fields.object("circuit");
  if (object == nullptr) return;
  Fields members = Fields::of_object(object->source, mistakes, prefix + "circuit.");
  take_count(members, "failures_max", failures_range, circuit.failures_max);
  take_duration(members, "wait_min_ms", delay_range, circuit.wait_min);
  take_duration(members, "wait_max_ms", delay_range, circuit.wait_max);
  if (circuit.wait_max < circuit.wait_min) members.mistake("wait_max_ms", "is below wait_min_ms");
  members.refuse_the_rest();
}

void take_name(Fields& fields, const std::string& name, Destination& destination) {
  const bool is_needed = name.empty();
  const std::string said = fields.text("name", {.is_required = is_needed});
  destination.name = is_needed ? said : name;
  if (!said.empty() && said != destination.name) {
    fields.mistake("name", fmt::format("is {}; the path says {}", shown(said), shown(name)));
  }
  if (!destination.name.empty() && !is_destination_name(destination.name)) {
    fields.mistake("name", fmt::format("is {}; allowed: letters, digits and _.:-/", shown(destination.name)));
  }
}

/// What belongs to its transport, checked by it.
void take_settings(Fields& fields, Destination& destination, const HttpOptions& options) {
  const bool is_http = destination.name.starts_with(http_scheme);
  const JsonValue* http = fields.object("http");
  const JsonValue* others = fields.object("settings");
  if (!is_http) {
    if (http != nullptr) fields.mistake("http", fmt::format("is for destinations {}… only", http_scheme));
    if (others != nullptr) destination.settings = others->source;
    return;
  }
  if (others != nullptr) fields.mistake("settings", "is not for HTTP; use http");
  if (http == nullptr) return fields.mistake("http", "is missing; it needs at least a url");
  const auto settings = decode_http_settings(http->source);
  if (!settings) return fields.mistake("http:", without_stop(settings.error().message));
  auto checked = http_destination(destination.name.substr(http_scheme.size()), *settings, destination);
  if (!checked) return fields.mistake("http:", without_stop(checked.error().message));
  destination = *std::move(checked);
  const Result<> allowed = check_http_destination(destination, options);
  if (!allowed) fields.mistake("http:", without_stop(allowed.error().message));
}

Destination read_document(Fields& fields, const std::string& name, const DestinationRules& rules, Mistakes& mistakes,
                          const std::string& prefix) {
  Destination destination = rules.defaults;
  take_name(fields, name, destination);
  take_count(fields, "in_flight_max", count_range, destination.in_flight_max);
  take_real(fields, "rate_max", rate_range, destination.rate_max);
  take_duration(fields, "timeout_ms", timeout_range, destination.timeout);
  take_retry(fields, destination.retry, mistakes, prefix);
  if (const auto chosen = fields.choice("ordering", ordering_names)) {
    destination.ordering = static_cast<Ordering>(*chosen);
  }
  take_circuit(fields, destination.circuit, mistakes, prefix);
  take_duration(fields, "disable_after_ms", pause_range, destination.disable_after);
  destination.tenant_id = fields.text("tenant_id", {.bytes_min = 0});
  take_settings(fields, destination, rules.http);
  // What an answer tells beside the document; so that what was read can be changed and put back.
  fields.any("health");
  fields.any("backlog");
  fields.refuse_the_rest();
  return destination;
}

void put_retry(Writer& writer, const RetryPolicy& retry) {
  json::write_name(writer, "retry");
  writer.StartObject();
  put(writer, "attempts_max", retry.attempts_max);
  put_milliseconds(writer, "base_ms", retry.base);
  put(writer, "factor", retry.factor);
  put(writer, "jitter", retry.jitter);
  put_milliseconds(writer, "cap_ms", retry.cap);
  put_array(writer, "schedule_ms", retry.schedule,
            [](Writer& to, Duration delay) { to.Int64(delay / milliseconds(1)); });
  put_milliseconds(writer, "retry_after_max_ms", retry.retry_after_max);
  writer.EndObject();
}

void put_circuit(Writer& writer, const CircuitPolicy& circuit) {
  json::write_name(writer, "circuit");
  writer.StartObject();
  put(writer, "failures_max", circuit.failures_max);
  put_milliseconds(writer, "wait_min_ms", circuit.wait_min);
  put_milliseconds(writer, "wait_max_ms", circuit.wait_max);
  writer.EndObject();
}

}  // namespace

std::optional<Destination> destination_from(std::string_view json, const std::string& name,
                                            const DestinationRules& rules, Mistakes& mistakes,
                                            const std::string& prefix) {
  Mistakes found;
  Fields fields = Fields::of_object(json, found, prefix);
  Destination destination = read_document(fields, name, rules, found, prefix);
  mistakes.add_all(found);
  if (!found.empty()) return std::nullopt;
  return destination;
}

void put_document(Writer& writer, const Destination& destination) {
  put(writer, "name", destination.name);
  put(writer, "in_flight_max", destination.in_flight_max);
  put(writer, "rate_max", destination.rate_max);
  put_milliseconds(writer, "timeout_ms", destination.timeout);
  put_retry(writer, destination.retry);
  put(writer, "ordering", ordering_names.at(static_cast<std::size_t>(destination.ordering)));
  put_circuit(writer, destination.circuit);
  put_milliseconds(writer, "disable_after_ms", destination.disable_after);
  put_or_null(writer, "tenant_id", destination.tenant_id);
  const std::string_view name = destination.name.starts_with(http_scheme) ? "http" : "settings";
  // A store holds what it was given; only an object can stand here.
  const bool is_object = read_object(destination.settings).has_value();
  is_object ? put_json(writer, name, destination.settings) : put_json(writer, name, "{}");
}

std::string document_of(const Destination& destination) {
  return object_answer(200, [&](Writer& writer) { put_document(writer, destination); }).body;
}

}  // namespace makegood::api
