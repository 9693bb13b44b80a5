#include "api/destination_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <concepts>

#include "api/fields.hpp"
#include "api/registry_of.hpp"
#include "base/destination_settings.hpp"

namespace makegood::api {
namespace {

using std::chrono::milliseconds;

/// Reads settings from what people write; what is left out stays as it is.
class DocumentReader {
 public:
  explicit DocumentReader(Fields& fields) : fields_(fields) {}

  void operator()(std::string_view name, std::unsigned_integral auto& number, const About& about) {
    number = static_cast<std::remove_reference_t<decltype(number)>>(
        fields_.integer_or(name, static_cast<std::int64_t>(number), range_of(about), about.says));
  }
  void operator()(std::string_view name, double& number, const About& about) {
    number = fields_.real_or(name, number, {about.limits.min, about.limits.max}, about.says);
  }
  void operator()(std::string_view name, Duration& duration, const About& about) {
    duration = milliseconds(
        fields_.integer_or(std::string(name) + "_ms", duration / milliseconds(1), range_of(about), about.says));
  }
  void operator()(std::string_view name, std::vector<Duration>& list, const About& about) {
    const std::string in_ms = std::string(name) + "_ms";
    if (fields_.has(in_ms)) list.clear();
    for (const std::int64_t delay : fields_.integers(in_ms, range_of(about), about.count_max, about.says)) {
      list.emplace_back(milliseconds(delay));
    }
  }
  template <class Choice>
  void choice(std::string_view name, Choice& chosen, Words words, const About& about) {
    chosen = static_cast<Choice>(fields_.choice_or(name, static_cast<std::size_t>(chosen), words, about.says));
  }
  void group(std::string_view name, RetryPolicy& retry) {
    fields_.object(name, "Retry", [&](Fields& members) { read_retry(members, retry); });
  }
  void group(std::string_view name, CircuitPolicy& circuit) {
    fields_.object(name, "Circuit", [&](Fields& members) { read_circuit(members, circuit); });
  }

 private:
  static IntegerRange range_of(const About& about) {
    return {static_cast<std::int64_t>(about.limits.min), static_cast<std::int64_t>(about.limits.max)};
  }
  /// A document that says how delays grow does not want the list of delays that others begin with.
  static void read_retry(Fields& members, RetryPolicy& retry) {
    constexpr auto growing = std::to_array<std::string_view>({"attempts_max", "base_ms", "factor", "jitter", "cap_ms"});
    const bool grows = std::ranges::any_of(growing, [&](std::string_view name) { return members.has(name); });
    if (grows) retry.schedule.clear();
    DocumentReader reader(members);
    describe(retry, reader);
    if (retry.cap < retry.base) members.mistake("cap_ms", "is below base_ms");
  }
  static void read_circuit(Fields& members, CircuitPolicy& circuit) {
    DocumentReader reader(members);
    describe(circuit, reader);
    if (circuit.wait_max < circuit.wait_min) members.mistake("wait_max_ms", "is below wait_min_ms");
  }

  Fields& fields_;
};

class DocumentWriter {
 public:
  explicit DocumentWriter(Writer& writer) : writer_(writer) {}

  void operator()(std::string_view name, auto number, const About& about) { put(writer_, name, number, about.says); }
  void operator()(std::string_view name, Duration duration, const About& about) {
    put_milliseconds(writer_, std::string(name) + "_ms", duration, about.says);
  }
  void operator()(std::string_view name, const std::vector<Duration>& list, const About& about) {
    if (writer_.sketch != nullptr)
      note(writer_, std::string(name) + "_ms", Schema("array").json("items", R"({"type":"integer"})"), about.says);
    put_array(writer_, std::string(name) + "_ms", list,
              [](Writer& to, Duration delay) { to.Int64(delay / milliseconds(1)); });
  }
  void choice(std::string_view name, auto chosen, Words words, const About& about) {
    put(writer_, name, words[static_cast<std::size_t>(chosen)]);
    if (writer_.sketch != nullptr) note(writer_, name, Schema("string").texts("enum", words), about.says);
  }
  template <class Settings>
  void group(std::string_view name, const Settings& settings) {
    const std::string_view schema = name == "retry" ? "Retry" : "Circuit";
    put_object(writer_, name, schema, [&](Writer& to) {
      DocumentWriter inner(to);
      describe(settings, inner);
    });
  }

 private:
  Writer& writer_;
};

void take_name(Fields& fields, const std::string& name, Destination& destination) {
  const bool is_needed = name.empty();
  if (is_needed && !fields.is_said("name")) fields.mistake("name", "is missing");
  const std::string said = fields.text("name", {.is_destination = true, .says = "In a path it is enough there."});
  destination.name = is_needed ? said : name;
  if (!said.empty() && said != destination.name) {
    fields.mistake("name", fmt::format("is {}; the path says {}", shown(said), shown(name)));
  }
  if (!destination.name.empty() && !is_destination_name(destination.name)) {
    fields.mistake("name", fmt::format("is {}; allowed: letters, digits and _.:-/", shown(destination.name)));
  }
}

/// What it is now, with what the document names, checked by its transport. A secret that would be gone is not gone by
/// accident.
void change_settings(Fields& fields, const TransportKind& kind, const JsonValue* said, Destination& destination) {
  const std::string scheme(kind.scheme());
  const auto refuse = [&](const Error& error) { fields.mistake(scheme + ":", without_stop(error.message)); };
  auto changed = kind.change(destination.settings, said == nullptr ? "{}" : said->source);
  if (!changed) return refuse(changed.error());
  if (!changed->lost_secrets.empty()) {
    fields.mistake(scheme, fmt::format("would lose {}; name it too, or send all of the destination and say replace",
                                       fmt::join(changed->lost_secrets, ", ")));
  }
  destination.settings = std::move(changed->settings);
  auto checked = kind.check(destination);
  if (!checked) return refuse(checked.error());
  destination = *std::move(checked);
}

/// Its component in the OpenAPI document: `Http`.
Schema schema_of(const TransportKind& kind) {
  std::string name(kind.scheme());
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return named_schema(name);
}

/// What belongs to its transport. `destination` has the settings that are registered, if any are.
void take_settings(Fields& fields, Destination& destination, const Transports& transports) {
  const TransportKind* own = transports.kind_of(destination.name);
  const JsonValue* said = nullptr;
  for (const auto& kind : transports.kinds()) {
    const JsonValue* object = fields.object(kind->scheme(), schema_of(*kind));
    if (kind.get() == own) said = object;
    if (kind.get() == own || object == nullptr) continue;
    fields.mistake(kind->scheme(), fmt::format("is for destinations {}:… only", kind->scheme()));
  }
  const JsonValue* others =
      fields.object("settings", Schema().json("type", R"(["object","null"])"), "Of any other transport.");
  if (own == nullptr) {
    if (others != nullptr) destination.settings = others->source;
    return;
  }
  if (others != nullptr) fields.mistake("settings", fmt::format("is for other transports; use {}", own->scheme()));
  if (said == nullptr && destination.settings.empty()) {
    return fields.mistake(own->scheme(), fmt::format("is missing; it needs at least {}", own->least()));
  }
  change_settings(fields, *own, said, destination);
}

/// What the document is about: it is registered, or begins with the defaults.
Destination beginning_of(Fields& fields, const std::string& name, const DestinationRules& rules) {
  Destination destination = rules.defaults;
  take_name(fields, name, destination);
  const Destination* present = rules.present == nullptr ? nullptr : find_destination(*rules.present, destination.name);
  return present == nullptr ? destination : *present;
}

void take_tenant(Fields& fields, std::string& tenant_id) {
  const std::string said =
      fields.text("tenant_id", {.bytes_min = 0, .may_be_null = true, .says = "On whose behalf it was registered."});
  if (fields.is_said("tenant_id")) tenant_id = said;
}

/// Only to name what belongs to them; nothing is opened.
const Transports& known_transports() {
  static const std::shared_ptr<Transports> transports = usual_transports();
  return *transports;
}

std::string_view name_of_settings(std::string_view destination) {
  const TransportKind* kind = known_transports().kind_of(destination);
  return kind == nullptr ? "settings" : kind->scheme();
}

}  // namespace

std::optional<Destination> destination_from(Fields& fields, const std::string& name, const DestinationRules& rules) {
  constexpr IntegerRange long_range{0, static_cast<std::int64_t>(year_ms)};
  const std::size_t mistakes_before = fields.mistake_count();
  Destination destination = beginning_of(fields, name, rules);
  // Of earlier versions, and the same thing; what `retry` says counts before it.
  const auto earlier = fields.integer("disable_after_ms", long_range,
                                      "The earlier name of `retry.unreachable_for_ms`, which counts before it.");
  if (earlier) destination.retry.unreachable_for = milliseconds(*earlier);
  DocumentReader reader(fields);
  describe(destination, reader);
  take_tenant(fields, destination.tenant_id);
  take_settings(fields, destination, *rules.transports);
  // What an answer tells beside the document; so that what was read can be changed and put back.
  fields.any("health", "Ignored.");
  fields.any("backlog", "Ignored.");
  if (fields.mistake_count() != mistakes_before) return std::nullopt;
  return destination;
}

void describe_document(Fields& fields) { destination_from(fields, {}, {}); }

std::optional<Destination> destination_from(std::string_view json, const std::string& name,
                                            const DestinationRules& rules, Mistakes& mistakes) {
  Fields fields = Fields::of_object(json, mistakes);
  auto destination = destination_from(fields, name, rules);
  fields.refuse_the_rest();
  return mistakes.empty() ? destination : std::nullopt;
}

void put_document(Writer& writer, const Destination& destination) {
  put(writer, "name", destination.name);
  DocumentWriter settings(writer);
  describe(destination, settings);
  put_or_null(writer, "tenant_id", destination.tenant_id);
  const std::string_view name = name_of_settings(destination.name);
  // A store holds what it was given; only an object can stand here.
  const bool is_object = read_object(destination.settings).has_value();
  if (writer.sketch == nullptr) return put_json(writer, name, is_object ? destination.settings : "{}");
  for (const auto& kind : known_transports().kinds()) {
    note(writer, kind->scheme(), schema_of(*kind), fmt::format("Of a destination {}:….", kind->scheme()), false);
  }
  note(writer, "settings", Schema("object"), "Of any other.", false);
}

std::string document_of(const Destination& destination) {
  return object_answer(200, [&](Writer& writer) { put_document(writer, destination); }).body;
}

}  // namespace makegood::api
