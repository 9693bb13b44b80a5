#include "api/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "api/path.hpp"
#include "api/time_text.hpp"
#include "base/nearest.hpp"
#include "makegood/destination.hpp"

namespace makegood::api {
namespace {

using Kind = JsonValue::Kind;

template <class Number>
std::optional<Number> number_from(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Schema integer_schema(IntegerRange range) {
  Schema schema("integer");
  return schema.number("minimum", range.low).number("maximum", range.high);
}

Schema real_schema(RealRange range) {
  Schema schema("number");
  return schema.number("minimum", range.low).number("maximum", range.high);
}

Schema text_schema(const TextRule& rule) {
  Schema schema;
  rule.may_be_null ? schema.json("type", R"(["string","null"])") : schema.text("type", "string");
  if (!rule.may_be_long && rule.bytes_min > 0) schema.number("minLength", static_cast<std::int64_t>(rule.bytes_min));
  if (!rule.may_be_long) schema.number("maxLength", static_cast<std::int64_t>(rule.bytes_max));
  if (rule.is_destination) schema.text("pattern", "^[A-Za-z0-9_.:/-]+$").json("examples", R"(["http:billing"])");
  if (!rule.absent.empty()) schema.text("default", rule.absent);
  return schema;
}

Schema list_schema(const Schema& items, CountRange range) {
  Schema schema("array");
  if (range.low > 0) schema.number("minItems", static_cast<std::int64_t>(range.low));
  return schema.number("maxItems", static_cast<std::int64_t>(range.high)).json("items", items.str());
}

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    return is_control && c != '\n' && c != '\t';
  });
}

}  // namespace

Fields Fields::of_query(std::string_view query, Mistakes& mistakes) {
  Fields fields(mistakes, {}, true);
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto name = percent_decoded(pair.substr(0, equals), Plus::is_blank);
    const auto value = percent_decoded(pair.substr(std::min(equals + 1, pair.size())), Plus::is_blank);
    if (!name || !value) {
      mistakes.add(shown(pair), "has an escape that is not %XX of valid UTF-8");
    } else {
      fields.add({*name, {Kind::text, {}, *value}});
    }
  }
  return fields;
}

Fields Fields::of_object(std::string_view json, Mistakes& mistakes, std::string prefix) {
  Fields fields(mistakes, std::move(prefix), false);
  auto members = read_object(json);
  if (!members) {
    const bool is_whole_body = fields.prefix_.empty();
    if (is_whole_body) {
      mistakes.add_unreadable(std::move(members).error());
    } else {
      // It has been read as a part of the body: it is JSON.
      mistakes.add(std::string_view(fields.prefix_).substr(0, fields.prefix_.size() - 1), "is not an object");
    }
    return fields;
  }
  for (JsonMember& member : *members) fields.add(std::move(member));
  return fields;
}

Fields Fields::of_nothing(Sketch& sketch, Mistakes& mistakes) {
  Fields fields(mistakes, {}, false);
  fields.sketch_ = &sketch;
  return fields;
}

bool Fields::sketched(std::string_view name, const Schema& schema, std::string_view says, bool is_required) {
  sketch_->add(name, schema, says, is_required);
  return true;
}

Schema Fields::inner_sketch(std::string_view schema, const ReadFields& read) {
  Sketch inner(sketch_->named);
  Fields nothing = of_nothing(inner, mistakes_);
  read(nothing);
  sketch_->named.insert_or_assign(std::string(schema), inner.schema().str());
  return named_schema(schema);
}

void Fields::add(JsonMember member) {
  if (find(member.name) != nullptr) return mistake(shown(member.name), "is there twice");
  members_.push_back(std::move(member));
}

const JsonValue* Fields::find(std::string_view name) const {
  const auto found = std::ranges::find(members_, name, &JsonMember::name);
  return found == members_.end() ? nullptr : &found->value;
}

const JsonValue* Fields::any(std::string_view name, std::string_view says) {
  if (is_sketch() && sketched(name, {}, says)) return nullptr;
  known_.emplace_back(name);
  return find(name);
}

const JsonValue* Fields::take(std::string_view name) {
  known_.emplace_back(name);
  const JsonValue* value = find(name);
  return value == nullptr || value->kind == Kind::null ? nullptr : value;
}

const JsonValue* Fields::take(std::string_view name, Kind kind, std::string_view what) {
  const JsonValue* value = take(name);
  if (value == nullptr || value->kind == kind) return value;
  mistake(name, fmt::format("is not {}", what));
  return nullptr;
}

bool Fields::is_said(std::string_view name) const {
  const JsonValue* value = find(name);
  return value != nullptr && value->kind != Kind::null;
}

void Fields::require(std::string_view name) {
  if (is_sketch()) return sketch_->require(name);
  if (!is_said(name)) mistake(name, "is missing");
}

std::string Fields::text(std::string_view name, const TextRule& rule) {
  const std::string_view says = rule.is_destination && rule.says.empty() ? "`transport:address`." : rule.says;
  if (is_sketch() && sketched(name, text_schema(rule), says, rule.is_required)) return {};
  if (rule.is_required) require(name);
  const JsonValue* value = take(name, Kind::text, "a text");
  if (value == nullptr) return std::string(rule.absent);
  return rule.may_be_long ? value->text : checked(name, value->text, rule);
}

std::string Fields::checked(std::string_view name, const std::string& text, const TextRule& rule) {
  if (text.size() < rule.bytes_min || text.size() > rule.bytes_max) {
    mistake(name, fmt::format("has {} bytes; allowed: {} to {}", text.size(), rule.bytes_min, rule.bytes_max));
  } else if (has_control_characters(text)) {
    mistake(name, "has control characters; allowed: none");
  } else if (rule.is_destination && !is_destination_name(text)) {
    mistake(name, fmt::format("is {}; allowed: letters, digits and _.:-/", shown(text)));
  } else {
    return text;
  }
  return {};
}

std::optional<std::int64_t> Fields::integer(std::string_view name, IntegerRange range, std::string_view says) {
  if (is_sketch() && sketched(name, integer_schema(range), says)) return std::nullopt;
  const JsonValue* value = take(name);
  if (value == nullptr) return std::nullopt;
  return integer_in(name, *value, range);
}

std::int64_t Fields::integer_or(std::string_view name, std::int64_t absent, IntegerRange range, std::string_view says) {
  if (is_sketch() && sketched(name, integer_schema(range).number("default", absent), says)) return absent;
  return integer(name, range).value_or(absent);
}

std::optional<std::int64_t> Fields::integer_in(std::string_view name, const JsonValue& value, IntegerRange range) {
  const auto number = number_from<std::int64_t>(word(value));
  if (number && *number >= range.low && *number <= range.high) return number;
  mistake(name, fmt::format("is {}; allowed: an integer from {} to {}", shown(word(value)), range.low, range.high));
  return std::nullopt;
}

std::vector<std::int64_t> Fields::integers(std::string_view name, IntegerRange range, std::size_t count_max,
                                           std::string_view says) {
  std::vector<std::int64_t> numbers;
  if (is_sketch() && sketched(name, list_schema(integer_schema(range), {0, count_max}), says)) return numbers;
  const JsonValue* list = array(name);
  if (list == nullptr) return numbers;
  const auto elements = read_array(list->source);
  if (!elements || elements->size() > count_max) {
    mistake(name, fmt::format("has too many; allowed: {}", count_max));
    return numbers;
  }
  for (std::size_t i = 0; i < elements->size(); ++i) {
    const auto number = integer_in(fmt::format("{}[{}]", name, i), (*elements)[i], range);
    if (number) numbers.push_back(*number);
  }
  return numbers;
}

std::optional<double> Fields::real(std::string_view name, RealRange range, std::string_view says) {
  if (is_sketch() && sketched(name, real_schema(range), says)) return std::nullopt;
  const JsonValue* value = take(name);
  if (value == nullptr) return std::nullopt;
  const auto number = number_from<double>(word(*value));
  if (number && std::isfinite(*number) && *number >= range.low && *number <= range.high) return number;
  mistake(name, fmt::format("is {}; allowed: a number from {} to {}", shown(word(*value)), range.low, range.high));
  return std::nullopt;
}

double Fields::real_or(std::string_view name, double absent, RealRange range, std::string_view says) {
  if (is_sketch() && sketched(name, real_schema(range).number("default", absent), says)) return absent;
  return real(name, range).value_or(absent);
}

bool Fields::flag(std::string_view name, std::string_view says) {
  if (is_sketch() && sketched(name, Schema("boolean").json("default", "false"), says)) return false;
  const JsonValue* value = take(name);
  if (value == nullptr) return false;
  const std::string_view said = word(*value);
  if (said != "true" && said != "false") mistake(name, fmt::format("is {}; allowed: true or false", shown(said)));
  return said == "true";
}

std::optional<TimePoint> Fields::time(std::string_view name, std::string_view says) {
  if (is_sketch() && sketched(name, named_schema("Time"), says)) return std::nullopt;
  const JsonValue* value = take(name, Kind::text, "a text");
  if (value == nullptr) return std::nullopt;
  const auto time = time_from(value->text);
  if (!time) mistake(name, fmt::format("is {}; allowed: a time such as 2026-01-02T03:04:05Z", shown(value->text)));
  return time;
}

std::optional<std::size_t> Fields::choice(std::string_view name, std::span<const std::string_view> allowed,
                                          std::string_view says) {
  if (is_sketch() && sketched(name, Schema("string").texts("enum", allowed), says)) return std::nullopt;
  const JsonValue* value = take(name, Kind::text, "a text");
  if (value == nullptr) return std::nullopt;
  const auto found = std::ranges::find(allowed, value->text);
  if (found != allowed.end()) return static_cast<std::size_t>(found - allowed.begin());
  mistake(name, fmt::format("is {}; allowed: {}", shown(value->text), fmt::join(allowed, ", ")));
  return std::nullopt;
}

std::size_t Fields::choice_or(std::string_view name, std::size_t absent, std::span<const std::string_view> allowed,
                              std::string_view says) {
  if (is_sketch() && sketched(name, Schema("string").texts("enum", allowed).text("default", allowed[absent]), says))
    return absent;
  return choice(name, allowed).value_or(absent);
}

std::map<std::string, std::string> Fields::texts(std::string_view name) {
  std::map<std::string, std::string> texts;
  const JsonValue* value = object(name, Schema("object").json("additionalProperties", R"({"type":"string"})"));
  if (value == nullptr) return texts;
  Fields members = of_object(value->source, mistakes_, fmt::format("{}{}.", prefix_, name));
  for (JsonMember& member : members.members_) {
    if (member.value.kind == Kind::text) {
      texts.emplace(std::move(member.name), std::move(member.value.text));
    } else {
      members.mistake(shown(member.name), "is not a text");
    }
  }
  return texts;
}

const JsonValue* Fields::object(std::string_view name, const Schema& schema, std::string_view says) {
  if (is_sketch() && sketched(name, schema, says)) return nullptr;
  return take(name, Kind::object, "an object");
}

void Fields::object(std::string_view name, std::string_view schema, const ReadFields& read, std::string_view says) {
  if (is_sketch()) return sketch_->add(name, inner_sketch(schema, read), says);
  const JsonValue* value = take(name, Kind::object, "an object");
  if (value == nullptr) return;
  Fields members = of_object(value->source, mistakes_, fmt::format("{}{}.", prefix_, name));
  read(members);
  members.refuse_the_rest();
}

bool Fields::objects(std::string_view name, std::string_view schema, CountRange range, const ReadFields& read) {
  if (is_sketch()) {
    sketch_->add(name, list_schema(inner_sketch(schema, read), range), {});
    return false;
  }
  const JsonValue* list = array(name);
  if (list == nullptr) return false;
  const auto elements = read_array(list->source);
  const std::size_t count = elements ? elements->size() : 0;
  if (!elements || count < range.low || count > range.high) {
    mistake(name, fmt::format("has {}; allowed: {} to {}", count, range.low, range.high));
    return true;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::string place = fmt::format("{}[{}]", name, i);
    if ((*elements)[i].kind != Kind::object) {
      mistake(place, "is not an object");
      continue;
    }
    Fields members = of_object((*elements)[i].source, mistakes_, fmt::format("{}{}.", prefix_, place));
    read(members);
    members.refuse_the_rest();
  }
  return true;
}

int Fields::count_of(std::span<const std::string_view> names) {
  if (is_sketch()) {
    sketch_->one_of.assign(names.begin(), names.end());
    sketch_->says = fmt::format("Exactly one of `{}`.", fmt::join(names, "`, `"));
  }
  return static_cast<int>(std::ranges::count_if(names, [&](std::string_view name) { return has(name); }));
}

void Fields::refuse_the_rest() {
  const std::string_view what = is_query_ ? "parameter" : "member";
  for (const JsonMember& member : members_) {
    if (std::ranges::find(known_, member.name) != known_.end()) continue;
    mistake(shown(member.name), fmt::format("is not a {}; {}", what, hint_for(member.name)));
  }
}

std::string Fields::hint_for(const std::string& name) const {
  if (known_.empty()) return "none is allowed";
  const std::string meant = nearest(name, known_);
  return meant.empty() ? fmt::format("allowed: {}", fmt::join(known_, ", ")) : fmt::format("is it {}?", meant);
}

}  // namespace makegood::api
