#include "base/template_syntax.hpp"

#include <fmt/format.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/json_text.hpp"
#include "base/mistakes.hpp"

namespace makegood {
namespace {

constexpr std::string_view spaces = " \t\r\n";
constexpr std::size_t terms_max = 100;

Error bad_template(std::string_view problem) { return {Errc::invalid, fmt::format("{}.", problem)}; }

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(spaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(spaces) - begin + 1);
}

/// `'x'` is for those who write JSON, where a quote costs a backslash.
std::optional<std::string> take_single_quoted(std::string_view& text) {
  const std::size_t end = text.find('\'', 1);
  if (!text.starts_with('\'') || end == std::string_view::npos) return std::nullopt;
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  json::write_text(writer, text.substr(1, end - 1));
  text.remove_prefix(end + 1);
  return std::string(buffer.GetString(), buffer.GetSize());
}

/// A JSON literal off the front of `text`, without its spaces.
std::optional<std::string> take_literal(std::string_view& text) {
  if (text.starts_with('\'')) return take_single_quoted(text);
  const auto value = json::first_value(text);
  if (!value) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(value->data() + value->size() - text.data()));
  return json::compact(*value);
}

Result<Placeholder> named_by(std::string_view path) {
  Placeholder placeholder;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    const bool is_odd = name.empty() || name.find_first_of("{$\"' \t\r\n") != std::string_view::npos;
    if (is_odd) return bad_template(fmt::format("${{{}}} is no path of names with dots between them", shown(path)));
    (begin == 0 ? placeholder.root : placeholder.path.emplace_back()) = name;
    begin = end + 1;
  }
  if (placeholder.path.size() >= json::depth_max) return bad_template("a path has too many names");
  return placeholder;
}

/// What follows `${`, up to its `}`; takes it off the front of `text`.
Result<Placeholder> take_placeholder(std::string_view& text) {
  const std::size_t end = text.find_first_of("|}");
  if (end == std::string_view::npos) {
    return bad_template(fmt::format("${{{} does not end with a }}", shown(text)));
  }
  Placeholder placeholder = MAKEGOOD_TRY(named_by(trimmed(text.substr(0, end))));
  const bool has_default = text[end] == '|';
  text.remove_prefix(end + 1);
  if (!has_default) return placeholder;
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  placeholder.fallback = take_literal(text);
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  if (!placeholder.fallback || !text.starts_with('}')) {
    return bad_template(fmt::format("the default of {} is not a JSON literal, such as 0, \"text\", 'text' or null",
                                    to_string(placeholder)));
  }
  text.remove_prefix(1);
  return placeholder;
}

void add_text(std::vector<TemplatePart>& parts, std::string_view text) {
  if (text.empty()) return;
  if (!parts.empty() && std::holds_alternative<std::string>(parts.back())) {
    std::get<std::string>(parts.back()) += text;
  } else {
    parts.emplace_back(std::string(text));
  }
}

// --- Conditions ---

struct Symbol {
  std::string_view text;
  Comparison comparison;
};
// The longer ones first.
constexpr auto symbols = std::to_array<Symbol>({{"==", Comparison::equal},
                                                {"!=", Comparison::unequal},
                                                {"<=", Comparison::at_most},
                                                {">=", Comparison::at_least},
                                                {"<", Comparison::less},
                                                {">", Comparison::more}});

class ConditionReader {
 public:
  explicit ConditionReader(std::string_view text) : whole_(text), text_(text) {}

  Result<Condition> read() {
    Condition condition(1);
    for (std::size_t terms = 0; terms < terms_max; ++terms) {
      condition.back().push_back(MAKEGOOD_TRY(term()));
      if (took("||")) {
        condition.emplace_back();
      } else if (!took("&&")) {
        return is_at_end() ? Result<Condition>(std::move(condition)) : unreadable("&&, || or the end");
      }
    }
    return bad_template(fmt::format("a condition has at most {} terms", terms_max));
  }

 private:
  Result<Term> term() {
    Term term;
    while (took("!")) {
      term.is_negated = !term.is_negated;
      has_mark_ = true;
    }
    const bool had_mark = std::exchange(has_mark_, false);
    term.left = MAKEGOOD_TRY(operand());
    term.comparison = comparison();
    if (!term.comparison) return term;
    if (had_mark) return bad_template("! stands before a value, not before a comparison; use the opposite comparison");
    term.right = MAKEGOOD_TRY(operand());
    return term;
  }

  Result<Operand> operand() {
    if (took("${")) return Operand(std::in_place_index<1>, MAKEGOOD_TRY(take_placeholder(text_)));
    skip();
    auto literal = take_literal(text_);
    if (!literal) return unreadable("${…} or a JSON literal");
    return Operand(std::in_place_index<0>, *std::move(literal));
  }

  std::optional<Comparison> comparison() {
    for (const Symbol& symbol : symbols) {
      if (took(symbol.text)) return symbol.comparison;
    }
    return std::nullopt;
  }

  bool took(std::string_view mark) {
    skip();
    if (!text_.starts_with(mark)) return false;
    text_.remove_prefix(mark.size());
    return true;
  }
  void skip() { text_.remove_prefix(std::min(text_.find_first_not_of(spaces), text_.size())); }
  bool is_at_end() { return skip(), text_.empty(); }

  Error unreadable(std::string_view expected) const {
    return bad_template(
        fmt::format("the condition cannot be read at character {}: {} is expected, such as ${{input.total}} > 100",
                    whole_.size() - text_.size() + 1, expected));
  }

  const std::string_view whole_;
  std::string_view text_;
  bool has_mark_ = false;
};

// --- Uses ---

void add_uses(const std::vector<TemplatePart>& parts, std::vector<TemplateUse>& uses) {
  for (const TemplatePart& part : parts) {
    if (const auto* placeholder = std::get_if<Placeholder>(&part)) uses.push_back(use_of(*placeholder));
  }
}

/// Looks at the strings of a JSON text.
class UseCollector : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, UseCollector> {
 public:
  std::vector<TemplateUse> uses = {};
  std::optional<Error> error = {};

  bool Default() { return true; }
  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    const auto parts = template_parts({text, size});
    if (parts) return add_uses(*parts, uses), true;
    error = parts.error();
    return false;
  }
  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    if (std::string_view(text, size).find("${") == std::string_view::npos) return true;
    error = bad_template("the name of a member cannot be a template; only values are filled in");
    return false;
  }
  bool RawNumber(const char* /*digits*/, rapidjson::SizeType /*size*/, bool /*copy*/) { return true; }
};

void add_use(const Operand& operand, std::vector<TemplateUse>& uses) {
  if (const auto* placeholder = std::get_if<Placeholder>(&operand)) uses.push_back(use_of(*placeholder));
}

}  // namespace

std::string to_string(const Placeholder& placeholder) {
  std::string path = placeholder.root;
  for (const std::string& name : placeholder.path) path += "." + name;
  return fmt::format("${{{}}}", shown(path));
}

TemplateUse use_of(const Placeholder& placeholder) {
  return {placeholder.root, fmt::format("{}", fmt::join(placeholder.path, ".")), placeholder.fallback.has_value()};
}

Result<std::vector<TemplatePart>> template_parts(std::string_view text) {
  std::vector<TemplatePart> parts;
  while (!text.empty()) {
    const std::size_t dollar = text.find("${");
    if (dollar == std::string_view::npos) {
      add_text(parts, text);
      break;
    }
    const bool is_literal = dollar > 0 && text[dollar - 1] == '$';
    add_text(parts, text.substr(0, is_literal ? dollar - 1 : dollar));
    text.remove_prefix(dollar + 2);
    if (is_literal) {
      add_text(parts, "${");
    } else {
      parts.emplace_back(MAKEGOOD_TRY(take_placeholder(text)));
    }
  }
  return parts;
}

Result<Condition> parse_condition(std::string_view text) { return ConditionReader(text).read(); }

Result<std::vector<TemplateUse>> uses_of(std::string_view text) {
  if (!json::is_json(text)) return bad_template("it is not JSON, or is nested too deeply");
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  UseCollector collector;
  reader.Parse<rapidjson::kParseNumbersAsStringsFlag>(stream, collector);
  if (collector.error) return *std::move(collector.error);
  return std::move(collector.uses);
}

Result<std::vector<TemplateUse>> uses_of_condition(std::string_view condition) {
  std::vector<TemplateUse> uses;
  for (const auto& line : MAKEGOOD_TRY(parse_condition(condition))) {
    for (const Term& term : line) {
      add_use(term.left, uses);
      if (term.comparison) add_use(term.right, uses);
    }
  }
  return uses;
}

}  // namespace makegood
