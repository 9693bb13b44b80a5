#include "base/saga_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "base/conditions.hpp"
#include "base/json.hpp"
#include "base/mistakes.hpp"
#include "base/nearest.hpp"

namespace makegood {
namespace {

constexpr std::string_view name_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
constexpr std::string_view path_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
constexpr std::string_view blanks = " \t\r\n";
constexpr int chain_depth_max = 32;

/// Steps that begin together.
using ChainLevel = std::vector<ChainStep>;
using ChainLevels = std::vector<ChainLevel>;

class ChainReader {
 public:
  explicit ChainReader(std::string_view text) : text_(text) {}

  Chain read() {
    read_element();
    const ChainLevels levels = expression({}, 0);
    took(";");
    if (!chain_.name.empty()) expect("</chain>");
    if (!is_at_end()) stop("the end is expected here");
    if (chain_.mistakes.empty()) {
      for (std::size_t group = 0; group < levels.size(); ++group) place(levels[group], group);
    }
    return std::move(chain_);
  }

 private:
  void read_element() {
    if (!took("<chain")) return;
    const std::size_t name = text_.find("name=\"", at_);
    const std::size_t end = text_.find('>', at_);
    const std::size_t close = name == std::string_view::npos ? name : text_.find('"', name + 6);
    if (end == std::string_view::npos || close == std::string_view::npos || close > end) {
      return stop("<chain name=\"…\"> is expected here");
    }
    chain_.name = text_.substr(name + 6, close - name - 6);
    if (chain_.name.empty()) return stop("the chain needs a name");
    at_ = end + 1;
  }

  void place(const ChainLevel& level, std::size_t group) {
    for (ChainStep step : level) {
      if (!placed_.insert(step.name).second) {
        chain_.mistakes.push_back({step.offset, fmt::format("has {} twice; a step is carried out once", step.name)});
        continue;
      }
      step.group = group;
      chain_.steps.push_back(std::move(step));
    }
  }

  ChainLevels expression(const Condition& outer, int depth) {
    skip();
    const std::size_t begin = at_;
    if (depth > chain_depth_max) return stop("it is nested too deeply"), ChainLevels();
    const std::string word(taken_of(name_letters));
    if (word.empty()) return stop("the name of a step, THEN, WHEN, IF or SWITCH is expected here"), ChainLevels();
    if (!took("(")) return {{step_at(word, outer, begin)}};
    if (word == "THEN") return sequence(outer, depth);
    if (word == "WHEN") return together(outer, depth);
    if (word == "IF") return choice_of_two(outer, depth);
    if (word == "SWITCH") return choice_of_many(outer, depth);
    at_ = begin;
    const std::array<std::string, 4> words = {"THEN", "WHEN", "IF", "SWITCH"};
    const std::string meant = nearest(word, words);
    stop(fmt::format("{} is not known; {}", shown(word),
                     meant.empty() ? "use THEN, WHEN, IF or SWITCH" : fmt::format("is it {}?", meant)));
    return {};
  }

  ChainStep step_at(const std::string& name, const Condition& condition, std::size_t offset) {
    named_.insert(name);
    return {.name = name, .condition = condition, .offset = offset};
  }

  ChainLevels sequence(const Condition& outer, int depth) {
    ChainLevels levels;
    do {
      append(levels, expression(outer, depth + 1));
    } while (took(","));
    expect(")");
    return levels;
  }

  static void append(ChainLevels& levels, ChainLevels more) { std::ranges::move(more, std::back_inserter(levels)); }

  ChainLevels together(const Condition& outer, int depth) {
    ChainLevels levels;
    do {
      const ChainLevels one = expression(outer, depth + 1);
      if (levels.size() < one.size()) levels.resize(one.size());
      for (std::size_t i = 0; i < one.size(); ++i) std::ranges::copy(one[i], std::back_inserter(levels[i]));
    } while (took(","));
    expect(")");
    return levels;
  }

  /// IF(x, a), IF(x, a, b), IF(x, a).ELIF(y, b).ELSE(c)
  ChainLevels choice_of_two(const Condition& outer, int depth) {
    ChainLevels levels;
    const std::size_t begin = at_;
    const Condition condition = question(outer, levels);
    expect(",");
    append(levels, expression(together_with(outer, condition, begin), depth + 1));
    const Condition otherwise = together_with(outer, opposite(condition, begin), begin);
    if (took(",")) {
      append(levels, expression(otherwise, depth + 1));
      expect(")");
      return levels;
    }
    expect(")");
    if (took(".ELIF(")) {
      append(levels, choice_of_two(otherwise, depth + 1));
    } else if (took(".ELSE(")) {
      append(levels, expression(otherwise, depth + 1));
      expect(")");
    }
    return levels;
  }

  /// SWITCH(x).to(a, THEN(b, c).id("b")).DEFAULT(d)
  ChainLevels choice_of_many(const Condition& outer, int depth) {
    ChainLevels levels;
    const std::size_t begin = at_;
    const Placeholder value = switched(outer, levels);
    expect(")");
    if (!took(".to(") && !took(".TO(")) stop(".to( is expected here, with what can be chosen");
    Condition others = outer;
    do {
      skip();
      const std::size_t from = at_;
      ChainLevels branch = expression({}, depth + 1);
      const std::string id = id_of(branch, from);
      under(branch, together_with(outer, equals(value, Comparison::equal, id), from), from);
      others = together_with(others, equals(value, Comparison::unequal, id), from);
      append(levels, std::move(branch));
    } while (took(","));
    expect(")");
    if (!took(".DEFAULT(")) return levels;
    append(levels, expression(together_with(others, {}, begin), depth + 1));
    expect(")");
    return levels;
  }

  static Condition equals(const Placeholder& value, Comparison comparison, const std::string& id) {
    rapidjson::StringBuffer buffer;
    json::Writer writer(buffer);
    json::write_text(writer, id);
    const Term term{
        .left = value, .comparison = comparison, .right = std::string(buffer.GetString(), buffer.GetSize())};
    return {{term}};
  }

  /// A branch of one step is chosen by its name; another one has `.id("…")`.
  std::string id_of(const ChainLevels& branch, std::size_t from) {
    if (took(".id(") || took(".tag(")) {
      std::string id = quoted();
      expect(")");
      return id;
    }
    if (branch.size() == 1 && branch.front().size() == 1) return branch.front().front().name;
    at_ = from;
    stop("this needs a name by which it is chosen: THEN(…).id(\"name\")");
    return {};
  }

  void under(ChainLevels& levels, const Condition& condition, std::size_t offset) {
    for (ChainLevel& level : levels) {
      for (ChainStep& step : level) step.condition = together_with(condition, step.condition, offset);
    }
  }

  /// What `IF` asks: a condition in quotes, or whether something is true.
  Condition question(const Condition& outer, ChainLevels& levels) {
    skip();
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      const std::size_t begin = at_;
      auto condition = parse_condition(plain(quoted()));
      if (condition) return *std::move(condition);
      at_ = begin;
      stop(std::string(without_stop(condition.error().message)));
      return {};
    }
    return {{Term{.left = switched(outer, levels)}}};
  }

  /// `input.a`, `step` or `step.a`; a step that does not stand before is carried out here.
  Placeholder switched(const Condition& outer, ChainLevels& levels) {
    skip();
    const std::size_t begin = at_;
    const std::string path(taken_of(path_letters));
    const auto parts = template_parts("${" + path + "}");
    if (path.empty() || !parts || parts->size() != 1) {
      at_ = begin;
      stop("a step, a step.path, an input.path or a condition in quotes is expected here");
      return {};
    }
    auto placeholder = std::get<Placeholder>(parts->front());
    if (placeholder.root != "input" && !named_.contains(placeholder.root)) {
      levels.push_back({step_at(placeholder.root, outer, begin)});
    }
    return placeholder;
  }

  std::string quoted() {
    skip();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    const std::size_t end = quote == '"' || quote == '\'' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) return stop("a text in quotes is expected here"), std::string();
    std::string text(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return text;
  }

  /// In an element `<` and `&` are written as XML wants them.
  std::string plain(std::string text) const {
    if (chain_.name.empty()) return text;
    constexpr auto entities = std::to_array<std::pair<std::string_view, char>>(
        {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}});
    for (const auto& [entity, letter] : entities) {
      for (std::size_t at = text.find(entity); at != std::string::npos; at = text.find(entity, at + 1)) {
        text.replace(at, entity.size(), 1, letter);
      }
    }
    return text;
  }

  /// A condition without a line is none.
  Condition together_with(const Condition& first, const Condition& second, std::size_t offset) {
    if (first.empty() || second.empty()) return first.empty() ? second : first;
    auto all = both(first, second);
    if (all) return *std::move(all);
    at_ = offset;
    stop("there are too many conditions inside one another; give the steps a when of their own");
    return {};
  }
  Condition opposite(const Condition& condition, std::size_t offset) {
    auto other = opposite_of(condition);
    if (other) return *std::move(other);
    at_ = offset;
    stop("this condition has too many parts");
    return {};
  }

  // --- Letters ---

  /// Only the first is told: what follows it follows from it. Nothing more is read.
  void stop(std::string_view problem) {
    if (chain_.mistakes.empty()) {
      chain_.mistakes.push_back({at_, fmt::format("cannot be read at character {}: {}", at_ + 1, problem)});
    }
    at_ = text_.size();
  }
  void expect(std::string_view mark) {
    if (!took(mark)) stop(fmt::format("{} is expected here", mark));
  }
  bool took(std::string_view mark) {
    skip();
    if (!text_.substr(at_).starts_with(mark)) return false;
    at_ += mark.size();
    return true;
  }
  std::string_view taken_of(std::string_view letters) {
    skip();
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_not_of(letters, at_), text_.size());
    return text_.substr(begin, at_ - begin);
  }
  void skip() {
    for (;;) {
      at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size());
      const bool is_line = text_.substr(at_).starts_with("//");
      if (!is_line && !text_.substr(at_).starts_with("/*")) return;
      const std::size_t end = text_.find(is_line ? "\n" : "*/", at_);
      at_ = end == std::string_view::npos ? text_.size() : end + (is_line ? 1 : 2);
    }
  }
  bool is_at_end() { return skip(), at_ == text_.size(); }

  const std::string_view text_;
  std::size_t at_ = 0;
  Chain chain_;
  std::set<std::string> named_;
  std::set<std::string> placed_;
};

}  // namespace

Chain read_chain(std::string_view text) { return ChainReader(text).read(); }

std::string chain_excerpt(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::size_t begin = text.rfind('\n', offset == 0 ? 0 : offset - 1);
  const std::size_t from = begin == std::string_view::npos || offset == 0 ? 0 : begin + 1;
  std::string line(text.substr(from, std::min(text.find('\n', from), text.size()) - from));
  std::ranges::replace(line, '\t', ' ');
  return fmt::format("      | {}\n      | {}^", line, std::string(offset - from, ' '));
}

}  // namespace makegood
