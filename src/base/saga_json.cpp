#include "base/saga_json.hpp"

#include <algorithm>
#include <concepts>
#include <limits>
#include <utility>

#include "base/json.hpp"
#include "base/saga_children.hpp"
#include "base/saga_settings.hpp"

namespace makegood {
namespace {

using json::damage;
using json::Value;
using json::write;
using json::write_name;
using json::Writer;

/// Writes all of it, so that a default that changes does not change what was defined.
class SagaWriter {
 public:
  explicit SagaWriter(Writer& writer) : writer_(writer) {}

  void operator()(std::string_view name, bool flag, const About& /*about*/) { write(writer_, name, flag); }
  void operator()(std::string_view name, std::unsigned_integral auto number, const About& /*about*/)
    requires(!std::same_as<decltype(number), bool>)
  {
    write(writer_, name, static_cast<std::int64_t>(number));
  }
  void operator()(std::string_view name, double number, const About& /*about*/) { write(writer_, name, number); }
  void operator()(std::string_view name, const std::string& text, const About& /*about*/) {
    if (!text.empty()) write(writer_, name, std::string_view(text));
  }
  void operator()(std::string_view name, Duration duration, const About& /*about*/) {
    write(writer_, std::string(name) + "_us", duration.count());
  }
  void operator()(std::string_view name, const std::vector<Duration>& list, const About& /*about*/) {
    write_name(writer_, std::string(name) + "_us");
    writer_.StartArray();
    for (const Duration delay : list) writer_.Int64(delay.count());
    writer_.EndArray();
  }
  void choice(std::string_view name, auto chosen, Words words, const About& /*about*/) {
    write(writer_, name, words[static_cast<std::size_t>(chosen)]);
  }
  void json(std::string_view name, const std::string& text, const About& about) { (*this)(name, text, about); }
  void condition(std::string_view name, const std::string& text, const About& about) { (*this)(name, text, about); }
  void within(std::string_view group, std::string_view name, const std::string& text, const About& about) {
    (*this)(std::string(group) + "_" + std::string(name), text, about);
  }
  template <class Settings>
  void group(std::string_view name, const Settings& settings) {
    write_name(writer_, name);
    writer_.StartObject();
    describe(settings, *this);
    writer_.EndObject();
  }
  template <class Settings>
  void maybe(std::string_view name, const std::optional<Settings>& settings, const About& /*about*/) {
    if (settings) group(name, *settings);
  }
  void call(std::string_view name, const SagaCall& call, const About& about) {
    write_name(writer_, name);
    writer_.StartObject();
    (*this)("uri", call.uri, about);
    (*this)("input", call.input, about);
    (*this)("if_unknown", call.if_unknown, about);
    writer_.EndObject();
  }
  void call(std::string_view name, const std::optional<SagaCall>& optional, const About& about) {
    if (optional) call(name, *optional, about);
  }
  void rules(std::string_view name, const std::vector<FailureRule>& rules, const About& about) {
    write_name(writer_, name);
    writer_.StartArray();
    for (const FailureRule& rule : rules) {
      writer_.StartObject();
      (*this)("code", rule.code, about);
      choice("action", rule.action, failure_words, about);
      (*this)("retries", rule.retries, about);
      (*this)("reason", rule.reason, about);
      writer_.EndObject();
    }
    writer_.EndArray();
  }
  void outcomes(std::string_view name, const std::map<std::string, SagaOutcome, std::less<>>& outcomes,
                const About& about) {
    write_name(writer_, name);
    writer_.StartObject();
    for (const auto& [code, outcome] : outcomes) choice(code, outcome, outcome_words, about);
    writer_.EndObject();
  }

 private:
  Writer& writer_;
};

/// What is left out stays as it is; the first thing that is damaged ends it.
class SagaReader {
 public:
  explicit SagaReader(const Value& object) : object_(object) {}

  void operator()(std::string_view name, bool& flag, const About& /*about*/) {
    if (const auto read = taken(json::flag_in(object_, named(name), flag))) flag = *read;
  }
  void operator()(std::string_view name, std::uint32_t& number, const About& /*about*/) {
    const auto read = taken(json::number_in(object_, named(name), number));
    if (!read) return;
    if (*read < 0 || *read > std::numeric_limits<std::uint32_t>::max()) return fail(damage(name));
    number = static_cast<std::uint32_t>(*read);
  }
  void operator()(std::string_view name, double& number, const About& /*about*/) {
    if (const auto read = taken(json::real_in(object_, named(name), number))) number = *read;
  }
  void operator()(std::string_view name, std::string& text, const About& /*about*/) {
    if (auto read = taken(json::text_in(object_, named(name)))) text = *std::move(read);
  }
  void operator()(std::string_view name, Duration& duration, const About& /*about*/) {
    const auto read = taken(json::number_in(object_, named(name, "_us"), duration.count()));
    if (read) duration = Duration(*read);
  }
  void operator()(std::string_view name, std::vector<Duration>& list, const About& /*about*/) {
    if (json::member(object_, named(name, "_us")) == nullptr) return;
    const auto delays = taken(json::array_in(object_, named(name, "_us")));
    if (!delays) return;
    list.clear();
    for (const auto& delay : (*delays)->GetArray()) {
      if (!delay.IsInt64()) return fail(damage(name));
      list.emplace_back(delay.GetInt64());
    }
  }
  template <class Choice>
  void choice(std::string_view name, Choice& chosen, Words words, const About& /*about*/) {
    if (json::member(object_, named(name)) == nullptr) return;
    const auto text = taken(json::text_in(object_, named(name)));
    if (!text) return;
    const auto found = std::ranges::find(words, *text);
    if (found == words.end()) return fail(damage(name));
    chosen = static_cast<Choice>(found - words.begin());
  }
  void json(std::string_view name, std::string& text, const About& about) { (*this)(name, text, about); }
  void condition(std::string_view name, std::string& text, const About& about) { (*this)(name, text, about); }
  void within(std::string_view group, std::string_view name, std::string& text, const About& about) {
    (*this)(std::string(group) + "_" + std::string(name), text, about);
  }
  template <class Settings>
  void group(std::string_view name, Settings& settings) {
    inside(name, [&](SagaReader& inner) { describe(settings, inner); });
  }
  template <class Settings>
  void maybe(std::string_view name, std::optional<Settings>& settings, const About& /*about*/) {
    inside(name, [&](SagaReader& inner) { describe(settings.emplace(), inner); });
  }
  void call(std::string_view name, SagaCall& call, const About& /*about*/) {
    inside(name, [&](SagaReader& inner) { inner.read(call); });
  }
  void call(std::string_view name, std::optional<SagaCall>& call, const About& /*about*/) {
    inside(name, [&](SagaReader& inner) { inner.read(call.emplace()); });
  }
  void rules(std::string_view name, std::vector<FailureRule>& rules, const About& about) {
    each(name, [&](SagaReader& inner) {
      FailureRule& rule = rules.emplace_back();
      inner("code", rule.code, about);
      inner.choice("action", rule.action, failure_words, about);
      inner("retries", rule.retries, about);
      inner("reason", rule.reason, about);
    });
  }
  void outcomes(std::string_view name, std::map<std::string, SagaOutcome, std::less<>>& outcomes, const About& about) {
    inside(name, [&](SagaReader& inner) {
      for (const auto& member : inner.object_.GetObject()) {
        const std::string code = json::text_of(member.name);
        inner.choice(code, outcomes[code], outcome_words, about);
      }
    });
  }

  /// A list of objects that may be left out.
  template <class Read>
  void each(std::string_view name, Read read) {
    if (json::member(object_, named(name)) == nullptr) return;
    const auto items = taken(json::array_in(object_, named(name)));
    if (!items) return;
    for (const Value& item : (*items)->GetArray()) {
      if (!item.IsObject()) return fail(damage(name));
      SagaReader inner(item);
      read(inner);
      if (inner.failure_) return fail(*std::move(inner.failure_));
    }
  }

  Result<> done() const { return failure_ ? Result<>(*failure_) : Result<>(); }

 private:
  template <class Read>
  void inside(std::string_view name, Read read) {
    if (json::member(object_, named(name)) == nullptr) return;
    const auto object = taken(json::object_in(object_, named(name)));
    if (!object) return;
    SagaReader inner(**object);
    read(inner);
    if (inner.failure_) fail(*std::move(inner.failure_));
  }
  void read(SagaCall& call) {
    (*this)("uri", call.uri, {});
    (*this)("input", call.input, {});
    (*this)("if_unknown", call.if_unknown, {});
  }

  /// Valid until the next one.
  const char* named(std::string_view name, std::string_view unit = {}) {
    name_ = std::string(name) + std::string(unit);
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
  std::string name_;
  std::optional<Error> failure_;
};

void write_steps(Writer& writer, const std::vector<SagaStep>& steps) {
  SagaWriter visit(writer);
  write_name(writer, "steps");
  writer.StartArray();
  for (const SagaStep& step : steps) {
    writer.StartObject();
    write(writer, "group", static_cast<std::int64_t>(step.group));
    describe(step, visit);
    writer.EndObject();
  }
  writer.EndArray();
}

void read_step(SagaReader& reader, std::vector<SagaStep>& steps) {
  SagaStep step;
  std::uint32_t group = 0;
  reader("group", group, {});
  step.group = group;
  describe(step, reader);
  settle_child(step);
  steps.push_back(std::move(step));
}

}  // namespace

std::string encode(const SagaDefinition& definition) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  SagaWriter visit(writer);
  writer.StartObject();
  describe(definition, visit);
  write_steps(writer, definition.steps);
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

Result<SagaDefinition> decode_saga_definition(std::string_view text) {
  const rapidjson::Document document = MAKEGOOD_TRY(json::parse_object(text));
  SagaDefinition definition;
  SagaReader reader(document);
  describe(definition, reader);
  reader.each("steps", [&](SagaReader& inner) { read_step(inner, definition.steps); });
  MAKEGOOD_TRY(reader.done());
  if (definition.name.empty() || definition.steps.empty()) return damage("a saga without name or steps");
  return definition;
}

}  // namespace makegood
