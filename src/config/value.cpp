#include "config/value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <type_traits>
#include <utility>

#include "config/choices.hpp"
#include "config/form.hpp"
#include "config/mistake.hpp"
#include "config/quantity.hpp"

namespace makegood::config {
namespace {

constexpr std::size_t list_items_max = 100;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> items;
  while (!trimmed(text).empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    items.emplace_back(trimmed(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return items;
}

double milliseconds_of(Duration duration) { return static_cast<double>(duration.count()) / 1000.0; }

/// Takes one raw value into the slot of one key.
class Assigning {
 public:
  Assigning(const Key& key, const Raw& raw, Writing writing) : key_(key), raw_(raw), writing_(writing) {}

  Complaint operator()(bool* slot) const {
    static constexpr std::array yes = {"true", "yes", "on", "1"};
    static constexpr std::array no = {"false", "no", "off", "0"};
    std::string text = scalar();
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool is_yes = std::ranges::count(yes, text) > 0;
    if (!is_yes && std::ranges::count(no, text) == 0) return "is neither true nor false";
    *slot = is_yes;
    return {};
  }

  Complaint operator()(std::uint32_t* slot) const { return whole_number(slot); }
  Complaint operator()(std::size_t* slot) const { return whole_number(slot); }

  Complaint operator()(double* slot) const {
    const auto number = parse_number<double>(scalar());
    if (!number || !std::isfinite(*number)) return "is not a number";
    if (!is_in_range(*number)) return "is out of range";
    *slot = *number;
    return {};
  }

  Complaint operator()(Duration* slot) const { return duration(scalar(), *slot); }

  Complaint operator()(std::string* slot) const {
    if (Complaint complaint = complaint_about(key_.form, scalar())) return complaint;
    *slot = scalar();
    return {};
  }

  template <class Enum>
    requires std::is_enum_v<Enum>
  Complaint operator()(Enum* slot) const {
    const auto found = std::ranges::find(choices<Enum>, scalar());
    if (found == choices<Enum>.end()) return "is not one of the choices";
    *slot = static_cast<Enum>(found - choices<Enum>.begin());
    return {};
  }

  Complaint operator()(std::vector<std::string>* slot) const {
    if (is_map()) return "is not a list";
    const std::vector<std::string> texts = items();
    std::set<std::string> seen;
    for (const std::string& text : texts) {
      if (const Complaint complaint = complaint_about(key_.form, text)) return about_item(text, *complaint);
      if (!seen.insert(text).second) return fmt::format("has '{}' twice", printable(text));
    }
    if (texts.size() > list_items_max) return "has too many items";
    *slot = texts;
    return {};
  }

  Complaint operator()(std::vector<std::uint16_t>* slot) const {
    if (is_map()) return "is not a list";
    std::vector<std::uint16_t> numbers;
    for (const std::string& item : items()) {
      const auto number = parse_number<std::uint16_t>(item);
      if (!number || !is_in_range(*number)) return about_item(item, "is out of range");
      numbers.push_back(*number);
    }
    if (numbers.size() > list_items_max) return "has too many items";
    *slot = std::move(numbers);
    return {};
  }

  Complaint operator()(std::vector<Duration>* slot) const {
    if (is_map()) return "is not a list";
    std::vector<Duration> delays;
    for (const std::string& item : items()) {
      if (const Complaint complaint = duration(item, delays.emplace_back())) return about_item(item, *complaint);
    }
    if (delays.size() > list_items_max) return "has too many delays";
    *slot = std::move(delays);
    return {};
  }

  Complaint operator()(std::vector<SchemaFile>* slot) const {
    std::vector<SchemaFile> schemas;
    if (const auto* map = std::get_if<std::vector<SchemaFile>>(&raw_)) {
      schemas = *map;
    } else {
      for (const std::string& item : items()) {
        const std::size_t equals = std::min(item.find('='), item.size());
        schemas.push_back({item.substr(0, equals), item.substr(std::min(equals + 1, item.size()))});
      }
    }
    for (const SchemaFile& schema : schemas) {
      if (schema.pattern.empty() || schema.file.empty()) return "lacks a pattern or a file";
    }
    *slot = std::move(schemas);
    return {};
  }

 private:
  static std::string about_item(const std::string& item, const std::string& complaint) {
    return fmt::format("has '{}', which {}", printable(item), complaint);
  }
  /// Empty for a list or a map, which no scalar type accepts.
  std::string scalar() const {
    const auto* text = std::get_if<std::string>(&raw_);
    return text == nullptr ? std::string() : *text;
  }
  bool is_map() const { return std::holds_alternative<std::vector<SchemaFile>>(raw_); }
  std::vector<std::string> items() const {
    if (const auto* list = std::get_if<std::vector<std::string>>(&raw_)) return *list;
    return split(scalar());
  }
  bool is_in_range(double number) const { return number >= key_.range.min && number <= key_.range.max; }

  template <class Number>
  Complaint whole_number(Number* slot) const {
    const bool is_size = key_.unit == Unit::bytes;
    const auto number = is_size ? parse_bytes(scalar()) : parse_number<std::int64_t>(scalar());
    if (!number) return is_size ? "is not a size" : "is not a whole number";
    if (!is_in_range(static_cast<double>(*number))) return "is out of range";
    *slot = static_cast<Number>(*number);
    return {};
  }

  Complaint duration(const std::string& text, Duration& slot) const {
    std::optional<Duration> parsed = parse_duration(text);
    const bool may_be_plain = key_.unit == Unit::milliseconds && writing_ == Writing::plain;
    if (const auto number = parse_number<std::int64_t>(text); number && may_be_plain) {
      if (!is_in_range(static_cast<double>(*number))) return "is out of range";
      parsed = std::chrono::milliseconds(*number);
    }
    if (!parsed) return may_be_plain ? "is not a number of milliseconds" : "is not a duration";
    if (!is_in_range(milliseconds_of(*parsed))) return "is out of range";
    if (key_.unit == Unit::milliseconds && parsed->count() % 1000 != 0) return "is not a whole number of milliseconds";
    slot = *parsed;
    return {};
  }

  const Key& key_;
  const Raw& raw_;
  Writing writing_;
};

/// A number of a key's unit, as its text.
std::string format_number(const Key& key, double number) {
  switch (key.unit) {
    case Unit::none:
      return fmt::format("{}", number);
    case Unit::bytes:
      return format_bytes(static_cast<std::uint64_t>(number));
    case Unit::milliseconds:
      return fmt::format("{}", static_cast<std::int64_t>(number));
    case Unit::duration:
      return format_duration(std::chrono::milliseconds(static_cast<std::int64_t>(number)));
  }
  std::unreachable();
}

class Formatting {
 public:
  explicit Formatting(const Key& key) : key_(key) {}

  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const std::uint32_t* value) const { return format_number(key_, *value); }
  std::string operator()(const std::size_t* value) const { return format_number(key_, static_cast<double>(*value)); }
  std::string operator()(const double* value) const { return format_number(key_, *value); }
  std::string operator()(const Duration* value) const {
    return key_.unit == Unit::duration ? format_duration(*value) : format_number(key_, milliseconds_of(*value));
  }
  std::string operator()(const std::string* value) const { return *value; }
  template <class Enum>
    requires std::is_enum_v<Enum>
  std::string operator()(const Enum* value) const {
    return std::string(choices<Enum>[static_cast<std::size_t>(*value)]);
  }
  std::string operator()(const std::vector<std::string>* value) const {
    return fmt::format("{}", fmt::join(*value, ","));
  }
  std::string operator()(const std::vector<std::uint16_t>* value) const {
    return fmt::format("{}", fmt::join(*value, ","));
  }
  std::string operator()(const std::vector<Duration>* value) const {
    std::vector<std::string> texts;
    for (const Duration& delay : *value) texts.push_back((*this)(&delay));
    return fmt::format("{}", fmt::join(texts, ","));
  }
  std::string operator()(const std::vector<SchemaFile>* value) const {
    std::vector<std::string> texts;
    for (const SchemaFile& schema : *value) texts.push_back(schema.pattern + "=" + schema.file);
    return fmt::format("{}", fmt::join(texts, ","));
  }

 private:
  const Key& key_;
};

std::string range_text(const Key& key) {
  if (key.range.min == key.range.max) return "only " + format_number(key, key.range.min);
  return fmt::format("{} to {}", format_number(key, key.range.min), format_number(key, key.range.max));
}

/// What a key's type is called, and what it accepts.
struct Description {
  std::string type;
  std::string allowed;
};

class Describing {
 public:
  explicit Describing(const Key& key) : key_(key) {}

  Description operator()(const bool*) const { return {"flag", "true or false"}; }
  Description operator()(const std::uint32_t*) const { return {"whole number", range_text(key_)}; }
  Description operator()(const std::size_t*) const {
    if (key_.unit == Unit::bytes) return {"size", range_text(key_) + ", in bytes or with KiB, MiB or GiB"};
    return {"whole number", range_text(key_)};
  }
  Description operator()(const double*) const { return {"number", range_text(key_)}; }
  Description operator()(const Duration*) const {
    if (key_.unit == Unit::duration) return {"duration", range_text(key_) + ", written as in 30s, 5m or 168h"};
    return {"milliseconds", range_text(key_) + ", in milliseconds or with a unit as in 30s"};
  }
  Description operator()(const std::string*) const { return of_form(); }
  template <class Enum>
    requires std::is_enum_v<Enum>
  Description operator()(const Enum*) const {
    const auto& all = choices<Enum>;
    return {"choice", fmt::format("{} or {}", fmt::join(all.begin(), all.end() - 1, ", "), all.back())};
  }
  Description operator()(const std::vector<std::string>*) const { return of_form(); }
  Description operator()(const std::vector<std::uint16_t>*) const {
    return {"list of numbers", fmt::format("at most {}, each {}", list_items_max, range_text(key_))};
  }
  Description operator()(const std::vector<Duration>*) const {
    return {"list of milliseconds", fmt::format("at most {} delays, each {}", list_items_max, range_text(key_))};
  }
  Description operator()(const std::vector<SchemaFile>*) const {
    return {"map", "topic patterns with the path of a JSON Schema each"};
  }

 private:
  Description of_form() const {
    switch (key_.form) {
      case Form::url:
        return {"URL", "a scheme, a colon and an address, as in sqlite:PATH or postgres://USER@HOST/DATABASE"};
      case Form::web_address:
        return {"URL", "http:// or https:// and a host, without a slash at the end; or nothing"};
      case Form::address:
        return {"address", "a number and a port, as in 127.0.0.1:7700 or [::1]:7700"};
      case Form::path:
        return {"path", "a slash and letters, digits and /-_.~, or nothing"};
      case Form::file:
        return {"file", "the path of a file, or nothing"};
      case Form::table:
        return {"list of names",
                "different table names: letters, digits and _, with or without a schema and a dot before"};
      case Form::network:
        return {"list of networks", "networks as in 10.20.0.0/16 or fd00::/8"};
      case Form::secret:
        return {"list of references", "beginnings as in file:/run/secrets/tenants/{tenant}/ or env:TENANT_"};
      case Form::name:
        return {"name", "up to 63 letters, digits and ._-, or nothing"};
      case Form::name_server:
        return {"list of addresses", "numbers with or without a port, as in 127.0.0.1:53 or [::1]:53"};
      case Form::cache:
        return {"URL", "as redis://USER:PASSWORD@HOST:6379/0, or nothing"};
    }
    std::unreachable();
  }

  const Key& key_;
};

/// The key's slot in some Config, where only its type is of interest.
Slot any_slot(const Key& key) {
  static Config config;
  return key.slot(config);
}

}  // namespace

Complaint assign(const Key& key, Config& config, const Raw& raw, Writing writing) {
  return std::visit(Assigning(key, raw, writing), key.slot(config));
}

std::string text_of(const Key& key, const Config& config) {
  Config copy = config;  // A slot is a place to write to.
  return std::visit(Formatting(key), key.slot(copy));
}

std::string shown(const Key& key, const Config& config) {
  const std::string text = text_of(key, config);
  return key.is_secret ? masked_url(text) : text;
}

std::string shown(const Key& key, const Raw& raw) {
  if (const auto* text = std::get_if<std::string>(&raw)) return key.is_secret ? masked_url(*text) : *text;
  if (const auto* list = std::get_if<std::vector<std::string>>(&raw))
    return fmt::format("[{}]", fmt::join(*list, ", "));
  return "{…}";
}

std::string allowed(const Key& key) { return std::visit(Describing(key), any_slot(key)).allowed; }
std::string type_name(const Key& key) { return std::visit(Describing(key), any_slot(key)).type; }

}  // namespace makegood::config
