#include "proxy/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/duration_text.hpp"

namespace makegood::proxy {
namespace {

using api::DocumentNode;
using api::NodeFields;
using Kind = DocumentNode::Kind;

/// Reads the fields of one map by their description; what is left out stays as it is.
class Reader {
 public:
  explicit Reader(NodeFields& fields) : fields_(fields) {}

  void operator()(std::string_view name, std::string& text, const About& /*about*/) {
    const DocumentNode* node = take(name, Kind::text, "is not a text");
    if (node != nullptr) text = node->text;
  }
  void operator()(std::string_view name, bool& flag, const About& /*about*/) {
    const DocumentNode* node = take(name, Kind::flag, "is neither true nor false");
    if (node != nullptr) flag = node->text == "true";
  }
  void operator()(std::string_view name, std::size_t& number, const About& about) {
    const DocumentNode* node = take(name, Kind::number, "is not a whole number");
    if (node == nullptr) return;
    std::size_t value = 0;
    const char* const end = node->text.data() + node->text.size();
    const auto [rest, failure] = std::from_chars(node->text.data(), end, value);
    if (failure != std::errc() || rest != end) return fields_.mistake(name, "is not a whole number");
    if (is_within(name, static_cast<double>(value), about)) number = value;
  }
  void operator()(std::string_view name, Duration& duration, const About& about) {
    const DocumentNode* node = fields_.take(name);
    if (node == nullptr) return;
    const auto value = node->kind == Kind::text || node->text == "0" ? parse_duration(node->text) : std::nullopt;
    if (!value) return fields_.mistake(name, "is not a duration; write 30s or 1h30m");
    const double ms = std::chrono::duration<double, std::milli>(*value).count();
    if (is_within(name, ms, about)) duration = *value;
  }
  void operator()(std::string_view name, std::vector<std::string>& texts, const About& about) {
    const DocumentNode* node = take(name, Kind::list, "is not a list; write [A, B]");
    if (node == nullptr) return;
    texts.clear();
    for (const DocumentNode& item : node->items) {
      if (item.kind != Kind::text) return fields_.mistake(name, "has an item that is not a text");
      texts.push_back(item.text);
    }
    if (texts.size() > about.count_max) fields_.mistake(name, fmt::format("has more than {} items", about.count_max));
  }
  template <class Choice>
  void choice(std::string_view name, Choice& chosen, Words words, const About& /*about*/) {
    const DocumentNode* node = take(name, Kind::text, "is not a word");
    if (node == nullptr) return;
    const auto found = std::ranges::find(words, node->text);
    if (found == words.end()) return fields_.mistake(name, fmt::format("must be {}", fmt::join(words, " or ")));
    chosen = static_cast<Choice>(found - words.begin());
  }

 private:
  const DocumentNode* take(std::string_view name, Kind kind, std::string_view otherwise) {
    const DocumentNode* node = fields_.take(name);
    if (node == nullptr || node->kind == kind) return node;
    fields_.mistake(name, std::string(otherwise));
    return nullptr;
  }
  bool is_within(std::string_view name, double value, const About& about) {
    if (value >= about.limits.min && value <= about.limits.max) return true;
    fields_.mistake(name, fmt::format("must be from {} to {}", about.limits.min, about.limits.max));
    return false;
  }

  NodeFields& fields_;
};

template <class Settings>
Settings read_settings(NodeFields& fields, Settings settings = {}) {
  Reader reader(fields);
  describe(settings, reader);
  return settings;
}

/// `none`, or one of `headers:` with `secret_file:`, `jwt:` and `gateway:`.
PrincipalRule read_principal(NodeFields& of) {
  const DocumentNode* node = of.take("principal");
  if (node == nullptr) return {};
  if (node->kind == Kind::text && node->text == "none") return Nobody{};
  constexpr std::string_view forms = "must be none, or have headers and secret_file, or jwt, or gateway";
  if (node->kind != Kind::map) return of.mistake("principal", std::string(forms)), PrincipalRule{};
  NodeFields fields(*node, of.pointer_to("principal"), of.mistakes());
  PrincipalRule rule;
  const auto inner = [&]<class Rule>(std::string_view name, Rule absent) {
    const DocumentNode* map = fields.take(name);
    if (map == nullptr || map->kind != Kind::map) return fields.mistake(name, "is not a map");
    NodeFields members(*map, fields.pointer_to(name), of.mistakes());
    rule = read_settings(members, std::move(absent));
    members.refuse_the_rest();
  };
  if (fields.has("headers")) {
    rule = read_settings<CredentialHeaders>(fields);
  } else if (fields.has("jwt")) {
    inner("jwt", JwtSubject());
  } else if (fields.has("gateway")) {
    inner("gateway", GatewayHeader());
  } else {
    of.mistake("principal", std::string(forms));
  }
  fields.refuse_the_rest();
  return rule;
}

std::map<std::string, Fate, std::less<>> read_answers(NodeFields& of) {
  std::map<std::string, Fate, std::less<>> answers;
  const DocumentNode* node = of.take("answers");
  if (node == nullptr) return answers;
  if (node->kind != Kind::map) return of.mistake("answers", "is not a map; write 409: store"), answers;
  NodeFields fields(*node, of.pointer_to("answers"), of.mistakes());
  Reader reader(fields);
  for (const std::string& name : node->names) reader.choice(name, answers[name], fate_words, {});
  return answers;
}

Route read_route(const DocumentNode& node, std::string pointer, std::vector<api::DocumentMistake>& mistakes) {
  if (node.kind != Kind::map) {
    mistakes.push_back({std::move(pointer), node.place, "is not a map; write path: and what it wants"});
    return {};
  }
  NodeFields fields(node, std::move(pointer), mistakes);
  Route route = read_settings<Route>(fields);
  route.principal = read_principal(fields);
  route.answers = read_answers(fields);
  if (!fields.has("path")) fields.mistake("path", "is missing");
  fields.refuse_the_rest();
  return route;
}

}  // namespace

ProxyDocument read_document(const DocumentNode& document) {
  ProxyDocument read;
  if (document.kind != Kind::map) {
    read.mistakes.push_back({{}, document.place, "is not a map; write upstream:, routes: and the others"});
    return read;
  }
  NodeFields fields(document, {}, read.mistakes);
  read.options = read_settings<ProxyOptions>(fields);
  read.options.principal = read_principal(fields);
  if (const DocumentNode* routes = fields.take("routes")) {
    if (routes->kind != Kind::list) fields.mistake("routes", "is not a list; begin each item with -");
    for (std::size_t i = 0; i < routes->items.size() && routes->kind == Kind::list; ++i) {
      read.options.routes.push_back(read_route(routes->items[i], fmt::format("/routes/{}", i), read.mistakes));
    }
  }
  fields.refuse_the_rest();
  return read;
}

}  // namespace makegood::proxy
