#include "base/routing_json.hpp"

#include <algorithm>
#include <concepts>
#include <limits>

#include "base/destination_settings.hpp"

namespace makegood::json {
namespace {

/// A circuit stands among the settings of its destination, with its name before each of its own.
std::string stored_prefix(std::string_view group) { return group == "circuit" ? "circuit_" : std::string(); }

class SettingsWriter {
 public:
  explicit SettingsWriter(Writer& writer, std::string prefix = {}) : writer_(writer), prefix_(std::move(prefix)) {}

  void operator()(std::string_view name, std::integral auto number, const About& /*about*/) {
    write(writer_, named(name), static_cast<std::int64_t>(number));
  }
  void operator()(std::string_view name, double number, const About& /*about*/) { write(writer_, named(name), number); }
  void operator()(std::string_view name, Duration duration, const About& /*about*/) {
    write(writer_, named(name, "_us"), duration.count());
  }
  void operator()(std::string_view name, const std::vector<Duration>& list, const About& /*about*/) {
    write_name(writer_, named(name, "_us"));
    writer_.StartArray();
    for (const Duration delay : list) writer_.Int64(delay.count());
    writer_.EndArray();
  }
  void choice(std::string_view name, auto chosen, Words words, const About& /*about*/) {
    write(writer_, named(name), words[static_cast<std::size_t>(chosen)]);
  }
  template <class Settings>
  void group(std::string_view name, const Settings& settings) {
    const std::string prefix = stored_prefix(name);
    SettingsWriter inner(writer_, prefix);
    if (prefix.empty()) write_name(writer_, name);
    if (prefix.empty()) writer_.StartObject();
    describe(settings, inner);
    if (prefix.empty()) writer_.EndObject();
  }

 private:
  std::string named(std::string_view name, std::string_view unit = {}) const {
    return prefix_ + std::string(name) + std::string(unit);
  }

  Writer& writer_;
  std::string prefix_;
};

/// What is left out stays as it is; the first thing that is damaged ends it.
class SettingsReader {
 public:
  explicit SettingsReader(const Value& object, std::string prefix = {}) : object_(object), prefix_(std::move(prefix)) {}

  void operator()(std::string_view name, std::unsigned_integral auto& number, const About& /*about*/) {
    using Number = std::remove_reference_t<decltype(number)>;
    const auto read = taken(number_in(object_, named(name), static_cast<std::int64_t>(number)));
    if (!read) return;
    if (*read < 0 || static_cast<std::uint64_t>(*read) > std::numeric_limits<Number>::max()) return fail(damage(name));
    number = static_cast<Number>(*read);
  }
  void operator()(std::string_view name, double& number, const About& /*about*/) {
    if (const auto read = taken(real_in(object_, named(name), number))) number = *read;
  }
  void operator()(std::string_view name, Duration& duration, const About& /*about*/) {
    if (const auto read = taken(number_in(object_, named(name, "_us"), duration.count()))) duration = Duration(*read);
  }
  void operator()(std::string_view name, std::vector<Duration>& list, const About& /*about*/) {
    if (member(object_, named(name, "_us")) == nullptr) return;
    const auto delays = taken(array_in(object_, named(name, "_us")));
    if (!delays) return;
    list.clear();
    for (const auto& delay : (*delays)->GetArray()) {
      if (!delay.IsInt64()) return fail(damage(name));
      list.emplace_back(delay.GetInt64());
    }
  }
  /// It is never left out.
  template <class Choice>
  void choice(std::string_view name, Choice& chosen, Words words, const About& /*about*/) {
    const auto text = taken(text_in(object_, named(name)));
    if (!text) return;
    const auto found = std::ranges::find(words, *text);
    if (found == words.end()) return fail(damage(name));
    chosen = static_cast<Choice>(found - words.begin());
  }
  template <class Settings>
  void group(std::string_view name, Settings& settings) {
    const std::string prefix = stored_prefix(name);
    if (prefix.empty() && member(object_, std::string(name).c_str()) == nullptr) return;
    const auto inside = prefix.empty() ? taken(object_in(object_, std::string(name).c_str())) : std::optional(&object_);
    if (!inside) return;
    SettingsReader inner(**inside, prefix);
    describe(settings, inner);
    if (inner.failure_) fail(*std::move(inner.failure_));
  }

  Result<> done() const { return failure_ ? Result<>(*failure_) : Result<>(); }

 private:
  /// Valid until the next one.
  const char* named(std::string_view name, std::string_view unit = {}) {
    name_ = prefix_ + std::string(name) + std::string(unit);
    return name_.c_str();
  }
  void fail(Error error) {
    if (!failure_) failure_ = std::move(error);
  }
  template <class T>
  std::optional<T> taken(Result<T> read) {
    if (read) return *std::move(read);
    fail(std::move(read).error());
    return std::nullopt;
  }

  const Value& object_;
  std::string prefix_;
  std::string name_;
  std::optional<Error> failure_;
};

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
  if (!destination.tenant_id.empty()) write(writer, "tenant_id", std::string_view(destination.tenant_id));
  if (!destination.settings.empty()) write(writer, "settings", std::string_view(destination.settings));
  SettingsWriter settings(writer);
  describe(destination, settings);
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
  Destination destination{.name = MAKEGOOD_TRY(text_in(value, "name")),
                          .tenant_id = MAKEGOOD_TRY(text_in(value, "tenant_id")),
                          .settings = MAKEGOOD_TRY(text_in(value, "settings"))};
  // Of earlier versions, and the same thing; what `retry` says counts before it.
  Duration& unreachable_for = destination.retry.unreachable_for;
  unreachable_for = Duration(MAKEGOOD_TRY(number_in(value, "disable_after_us", unreachable_for.count())));
  SettingsReader settings(value);
  describe(destination, settings);
  MAKEGOOD_TRY(settings.done());
  if (!is_destination_name(destination.name)) return damage("the name of a destination");
  return destination;
}

}  // namespace makegood::json
