// Reads the fields of a saga's document by their description, and keeps where each of them stands.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/document_node.hpp"
#include "api/field_places.hpp"
#include "base/duration_text.hpp"
#include "base/mistakes.hpp"
#include "base/saga_settings.hpp"

namespace makegood::api {

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Reads the fields of one map by their description; what is left out stays as it is.
class SagaDocumentReader {
 public:
  SagaDocumentReader(NodeFields& fields, FieldPlaces& places, FieldPlaces::Step step, std::string prefix = {})
      : fields_(fields), places_(places), step_(step), prefix_(std::move(prefix)) {
    places_.put(step_, prefix_.substr(0, prefix_.empty() ? 0 : prefix_.size() - 1),
                {fields_.pointer(), fields_.map().place});
  }

  void operator()(std::string_view name, std::string& text, const About& /*about*/) {
    const DocumentNode* node = take(name);
    if (node == nullptr) return;
    if (node->kind != DocumentNode::Kind::text) return fields_.mistake(name, "is not a text");
    text = node->text;
  }
  void operator()(std::string_view name, bool& flag, const About& /*about*/) {
    const DocumentNode* node = take(name);
    if (node == nullptr) return;
    if (node->kind != DocumentNode::Kind::flag) return fields_.mistake(name, "is neither true nor false");
    flag = node->text == "true";
  }
  void operator()(std::string_view name, std::uint32_t& number, const About& /*about*/) {
    const DocumentNode* node = take(name);
    if (node == nullptr) return;
    const auto read = node->kind == DocumentNode::Kind::number ? whole_number<std::uint32_t>(node->text) : std::nullopt;
    if (!read) return fields_.mistake(name, "is not a whole number");
    number = *read;
  }
  void operator()(std::string_view name, double& number, const About& /*about*/) {
    const DocumentNode* node = take(name);
    if (node == nullptr) return;
    const auto read = node->kind == DocumentNode::Kind::number ? whole_number<double>(node->text) : std::nullopt;
    if (!read) return fields_.mistake(name, "is not a number");
    number = *read;
  }
  void operator()(std::string_view name, Duration& duration, const About& /*about*/) {
    if (const DocumentNode* node = take(name)) read_duration(name, *node, duration);
    const std::string in_ms = std::string(name) + "_ms";
    if (!is_in_retry()) return;
    if (const DocumentNode* node = take(in_ms)) read_milliseconds(in_ms, *node, duration);
  }
  void operator()(std::string_view name, std::vector<Duration>& list, const About& /*about*/) {
    if (const DocumentNode* node = take(name)) {
      read_list(name, *node, list, [&](const DocumentNode& item, Duration& to) { read_duration(name, item, to); });
    }
    const std::string in_ms = std::string(name) + "_ms";
    if (const DocumentNode* node = take(in_ms)) {
      read_list(in_ms, *node, list,
                [&](const DocumentNode& item, Duration& to) { read_milliseconds(in_ms, item, to); });
    }
  }
  template <class Choice>
  void choice(std::string_view name, Choice& chosen, Words words, const About& /*about*/) {
    const DocumentNode* node = take(name);
    if (node == nullptr) return;
    if (const auto place = place_among(words, name, *node)) chosen = static_cast<Choice>(*place);
  }
  void json(std::string_view name, std::string& text, const About& /*about*/) {
    // Here a null is a value like others.
    if (take(name) != nullptr || fields_.has(name)) text = json_of(*fields_.map().find(name));
  }
  void condition(std::string_view name, std::string& text, const About& about) {
    const DocumentNode* node = take(name);
    if (node != nullptr && node->kind == DocumentNode::Kind::flag) {
      text = node->text;
    } else {
      (*this)(name, text, about);
    }
  }
  void within(std::string_view group, std::string_view name, std::string& text, const About& about) {
    inside(group, [&](SagaDocumentReader& inner) { inner(name, text, about); });
  }
  void group(std::string_view name, RetryPolicy& retry) {
    inside(name, [&](SagaDocumentReader& inner) { describe(retry, inner); });
  }
  template <class Settings>
  void maybe(std::string_view name, std::optional<Settings>& settings, const About& /*about*/) {
    inside(name, [&](SagaDocumentReader& inner) { describe(settings.emplace(), inner); });
  }
  void call(std::string_view name, SagaCall& call, const About& /*about*/) {
    const DocumentNode* node = take(name);
    if (node == nullptr) return;
    if (node->kind == DocumentNode::Kind::text) {
      call.uri = node->text;
    } else if (node->kind == DocumentNode::Kind::map) {
      inside(name, [&](SagaDocumentReader& inner) { inner.read(call); });
    } else {
      fields_.mistake(name, "is neither an address nor an object with action and input");
    }
  }
  void call(std::string_view name, std::optional<SagaCall>& optional, const About& about) {
    if (fields_.has(name) && take(name) != nullptr) call(name, optional.emplace(), about);
  }
  void rules(std::string_view name, std::vector<FailureRule>& rules, const About& /*about*/) {
    each_member(name, [&](SagaDocumentReader& inner, const std::string& code, const DocumentNode& node) {
      rules.push_back(inner.rule(code, node));
    });
  }
  void outcomes(std::string_view name, std::map<std::string, SagaOutcome, std::less<>>& outcomes,
                const About& /*about*/) {
    each_member(name, [&](SagaDocumentReader& inner, const std::string& code, const DocumentNode& node) {
      if (const auto place = inner.place_among(outcome_words, code, node)) {
        outcomes[code] = static_cast<SagaOutcome>(*place);
      }
    });
  }

  /// The field `name` of the struct stands under `other` here.
  void stands_at(const std::string& name, std::string_view other) {
    places_.put(step_, prefix_ + name, {fields_.pointer_to(other), fields_.place_of(other)});
  }
  const DocumentNode* take(std::string_view name) {
    if (fields_.has(name)) stands_at(std::string(name), name);
    return fields_.take(name);
  }

 private:
  /// There destinations count in milliseconds, and so may sagas.
  bool is_in_retry() const { return prefix_ == "retry."; }

  void read_duration(std::string_view name, const DocumentNode& node, Duration& duration) {
    const bool is_zero = node.kind == DocumentNode::Kind::number && node.text == "0";
    const auto read = node.kind == DocumentNode::Kind::text || is_zero ? parse_duration(node.text) : std::nullopt;
    if (!read) return fields_.mistake(name, "is not a duration, such as 30m, 10s or 500ms");
    duration = *read;
  }
  void read_milliseconds(std::string_view name, const DocumentNode& node, Duration& duration) {
    const auto read = node.kind == DocumentNode::Kind::number ? whole_number<std::int64_t>(node.text) : std::nullopt;
    if (!read || *read < 0 || static_cast<double>(*read) > year_ms) {
      return fields_.mistake(name, "is not a whole number of milliseconds, up to a year");
    }
    duration = std::chrono::milliseconds(*read);
  }
  template <class Read>
  void read_list(std::string_view name, const DocumentNode& node, std::vector<Duration>& list, Read read) {
    if (node.kind != DocumentNode::Kind::list) return fields_.mistake(name, "is not a list of delays");
    list.clear();
    for (const DocumentNode& item : node.items) read(item, list.emplace_back());
  }

  std::optional<std::size_t> place_among(Words words, std::string_view name, const DocumentNode& node) {
    const auto found = node.kind == DocumentNode::Kind::text ? std::ranges::find(words, node.text) : words.end();
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    fields_.mistake(name, fmt::format("is {}; allowed: {}", node.text.empty() ? "not a word" : shown(node.text),
                                      fmt::join(words, ", ")));
    return std::nullopt;
  }

  template <class Read>
  void inside(std::string_view name, Read read) {
    const DocumentNode* node = take(name);
    if (node == nullptr) return;
    if (node->kind != DocumentNode::Kind::map) return fields_.mistake(name, "is not an object");
    NodeFields members(*node, fields_.pointer_to(name), fields_.mistakes());
    SagaDocumentReader inner(members, places_, step_, prefix_ + std::string(name) + ".");
    stands_at(std::string(name), name);
    read(inner);
    members.refuse_the_rest();
  }
  template <class Read>
  void each_member(std::string_view name, Read read) {
    inside(name, [&](SagaDocumentReader& inner) {
      for (const std::string& code : inner.fields_.map().names) {
        const DocumentNode* node = inner.take(code);
        if (node == nullptr) {
          inner.fields_.mistake(code, "says nothing");
        } else {
          read(inner, code, *node);
        }
      }
    });
  }

  void read(SagaCall& call) {
    const bool has_both = fields_.has("action") && fields_.has("uri");
    if (has_both) fields_.mistake("uri", "is another name of action; keep one of them");
    (*this)("uri", call.uri, {});
    (*this)("action", call.uri, {});
    json("input", call.input, {});
    json("if_unknown", call.if_unknown, {});
  }

  /// `compensate`, `skip`, `manual`, `{retry: 3}` or `{manual: why}`.
  FailureRule rule(const std::string& code, const DocumentNode& node) {
    constexpr std::string_view forms = "allowed: {retry: 3}, {manual: why}, manual, compensate, skip";
    FailureRule rule{.code = code};
    const auto word = node.kind == DocumentNode::Kind::text ? failure_action_from(node.text) : std::nullopt;
    const bool is_one = node.kind == DocumentNode::Kind::map && node.names.size() == 1;
    const DocumentNode* retries = is_one ? node.find("retry") : nullptr;
    const DocumentNode* reason = is_one ? node.find("manual") : nullptr;
    const auto count = retries != nullptr && retries->kind == DocumentNode::Kind::number
                           ? whole_number<std::uint32_t>(retries->text)
                           : std::nullopt;
    if (count) {
      rule.action = FailureAction::retry;
      rule.retries = *count;
    } else if (reason != nullptr && reason->kind == DocumentNode::Kind::text) {
      rule.action = FailureAction::manual;
      rule.reason = reason->text;
    } else if (word && *word != FailureAction::retry) {
      rule.action = *word;
    } else {
      fields_.mistake(code, fmt::format("is no rule; {}", forms));
    }
    return rule;
  }

  NodeFields& fields_;
  FieldPlaces& places_;
  const FieldPlaces::Step step_;
  const std::string prefix_;
};

}  // namespace makegood::api
