#include "cli/saga_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "api/time_text.hpp"
#include "cli/age.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

enum class Colour { none, green, yellow, red, dim, bold };

std::string coloured(std::string text, Colour colour, bool has_colours) {
  constexpr std::array<std::string_view, 6> codes = {"", "32", "33", "31", "2", "1"};
  const std::string_view code = codes.at(static_cast<std::size_t>(colour));
  return has_colours && !code.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

struct StepLook {
  std::string_view state;
  std::string_view sign;
  std::string_view word;
  Colour colour;
};
constexpr auto step_looks = std::to_array<StepLook>({
    {"ready", "·", "", Colour::dim},
    {"in_flight", "▸", "in flight", Colour::yellow},
    {"waiting", "…", "waiting", Colour::yellow},
    {"succeeded", "✓", "done", Colour::green},
    {"failed", "✗", "failed", Colour::red},
    {"unknown", "?", "unknown", Colour::red},
    {"skipped", "-", "skipped", Colour::dim},
    {"compensating", "↶", "undoing", Colour::yellow},
    {"compensated", "↶", "undone", Colour::none},
    {"open", "!", "OPEN", Colour::red},
});

const StepLook& look_of(std::string_view state) {
  const auto found = std::ranges::find(step_looks, state, &StepLook::state);
  return found == step_looks.end() ? step_looks.front() : *found;
}

Colour colour_of_execution(std::string_view state) {
  if (state == "completed") return Colour::green;
  if (state == "failed" || state == "manual") return Colour::red;
  return state == "compensated" || state == "cancelled" ? Colour::none : Colour::yellow;
}

std::optional<TimePoint> moment_in(const Json& object, const char* name) {
  return api::time_from(text_at(object, name));
}

/// Of a step: from its first attempt until it was done, or until now.
std::string took(const Json& step, TimePoint now) {
  const auto began = moment_in(step, "startedAt");
  if (!began) return {};
  const std::string state = text_at(step, "state");
  const auto ended = moment_in(step, "endedAt");
  const bool is_over = state != "in_flight" && state != "waiting";
  if (!ended && is_over) return {};
  return span_text(ended.value_or(now) - *began);
}

std::string failure_text(const Json& object) {
  const std::string code = text_at(object, "code");
  const std::string error = text_at(object, "error");
  return code.empty() || error.empty() ? code + error : fmt::format("{}: {}", code, error);
}

/// Nothing was repeated: the line of the step tells all.
bool is_plain(const Json& attempts) {
  return std::ranges::all_of(attempts.GetArray(), [](const Json& attempt) {
    return number_at(attempt, "attempt") == 1 && number_at(attempt, "round") == 1;
  });
}

/// So many columns at most; a character is never cut in two.
std::string shortened(std::string text, std::size_t columns_max) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  if (static_cast<std::size_t>(std::ranges::count_if(text, begins)) <= columns_max) return text;
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end) {
    if (begins(text[end]) && ++columns == columns_max) break;
  }
  return text.substr(0, end) + "…";
}

class TreeDrawing {
 public:
  TreeDrawing(const Json& execution, const TreeStyle& style) : execution_(execution), style_(style) {
    for (const Json& step : array_at(execution, "steps").GetArray()) {
      const std::size_t columns = text_at(step, "stepId").size() + (flag_at(step, "isPivot") ? pivot.size() : 0);
      name_columns_ = std::max(name_columns_, columns);
    }
  }

  std::vector<std::string> draw() {
    head();
    steps();
    tail();
    return std::move(lines_);
  }

 private:
  static constexpr std::string_view pivot = " (pivot)";
  static constexpr std::size_t parallel_indent = 3;
  static constexpr std::size_t columns_max = 100;
  static constexpr std::size_t attempt_column = 60;

  void line(std::string text) {
    while (text.ends_with(' ')) text.pop_back();
    lines_.push_back(std::move(text));
  }
  std::string paint(std::string text, Colour colour) const {
    return coloured(config::printable(text), colour, style_.has_colours);
  }
  std::string field(const char* name) const { return text_at(execution_, name); }

  void head() {
    const std::string state = field("state");
    const std::int64_t version = number_at(execution_, "version");
    std::string of = config::printable(field("chainName"));
    if (version > 0) of += fmt::format(" v{}", version);
    line(fmt::format("{}  {}  {}", paint(field("executionId"), Colour::bold), of,
                     paint(state, colour_of_execution(state))));
    line("  " + circumstances());
    const Json& failure = object_at(execution_, "failure");
    if (state != "completed") blame(failure);
    if (const std::string reason = text_at(failure, "reason"); !reason.empty()) line("  " + paint(reason, Colour::red));
    line("");
  }

  void blame(const Json& failure) {
    const std::string step = text_at(failure, "step");
    const std::string code = text_at(failure, "code");
    const std::string error = text_at(failure, "error");
    if (!code.empty()) line("  " + paint((step.empty() ? "" : step + ": ") + code, Colour::red));
    if (!error.empty()) line("  " + paint(error, Colour::red));
  }

  std::string circumstances() const {
    std::vector<std::string> parts;
    const auto began = moment_in(execution_, "startedAt");
    const auto ended = moment_in(execution_, "completedAt");
    parts.push_back(began ? "began " + ago_text(field("startedAt"), style_.now)
                          : "asked for " + ago_text(field("createdAt"), style_.now));
    if (began) parts.push_back((ended ? "took " : "for ") + span_text(ended.value_or(style_.now) - *began));
    if (!field("waitsFor").empty()) parts.push_back("waits for " + field("waitsFor"));
    if (!field("dueAt").empty()) parts.push_back("looked at " + ago_text(field("dueAt"), style_.now));
    if (field("tenantId") != "default") parts.push_back("tenant " + config::printable(field("tenantId")));
    if (!field("key").empty()) parts.push_back("key " + config::printable(field("key")));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  void steps() {
    const Json& all = array_at(execution_, "steps");
    for (rapidjson::SizeType first = 0; first < all.Size();) {
      rapidjson::SizeType end = first + 1;
      while (end < all.Size() && number_at(all[end], "group") == number_at(all[first], "group")) ++end;
      group(all, first, end);
      first = end;
    }
  }

  /// Steps of one group hang side by side below a line of their own.
  void group(const Json& all, rapidjson::SizeType first, rapidjson::SizeType end) {
    const bool is_last_group = end == all.Size();
    const std::string rail = is_last_group ? "   " : "│  ";
    if (end - first == 1) return step(all[first], is_last_group ? "└─ " : "├─ ", rail, parallel_indent);
    line((is_last_group ? "└─" : "├─") + std::string("┬ side by side"));
    for (rapidjson::SizeType index = first; index < end; ++index) {
      const bool is_last = index + 1 == end;
      step(all[index], rail + (is_last ? "└─ " : "├─ "), rail + (is_last ? "   " : "│  "), 0);
    }
  }

  void step(const Json& step, const std::string& branch, const std::string& rail, std::size_t room) {
    const StepLook& look = look_of(text_at(step, "state"));
    const std::string name = text_at(step, "stepId") + std::string(flag_at(step, "isPivot") ? pivot : "");
    const std::string padded = fmt::format("{:<{}}", config::printable(name), name_columns_ + room);
    const bool is_ready = look.word.empty();
    line(fmt::format("{}{} {}  {} {:>8}  {}", branch, paint(std::string(look.sign), look.colour),
                     is_ready ? paint(padded, Colour::dim) : padded,
                     paint(fmt::format("{:<9}", look.word), look.colour), took(step, style_.now), note(step)));
    attempts(step, rail);
  }

  /// What is most worth knowing, in one piece.
  std::string note(const Json& step) const {
    const std::string state = text_at(step, "state");
    if (flag_at(step, "isAsked")) {
      const std::string until = text_at(step, "askedUntil");
      return paint("needs approval" + (until.empty() ? "" : ", until " + ago_text(until, style_.now)), Colour::yellow);
    }
    if (flag_at(step, "isAwaiting")) {
      const std::string until = text_at(step, "awaitedUntil");
      return paint(text_at(step, "component") + (until.empty() ? "" : ", until " + ago_text(until, style_.now)),
                   Colour::yellow);
    }
    if (state == "compensated") return undone(step);
    std::string text =
        state == "succeeded" || state == "skipped" ? std::string() : fitting(failure_text(step), note_column());
    if (const std::string next = text_at(step, "nextAt"); !next.empty()) {
      text += (text.empty() ? "again " : "; again ") + ago_text(next, style_.now);
    }
    if (flag_at(step, "isStalled")) text += " (its attempts are spent; tried on)";
    if (!text.empty()) return paint(text, look_of(state).colour);
    if (step.HasMember("progress") && !step["progress"].IsNull()) {
      return paint(fitting("progress " + json_of(step["progress"]), note_column()), look_of(state).colour);
    }
    if (const std::string child = text_at(step, "child"); !child.empty()) return paint("as " + child, Colour::dim);
    return state == "ready" ? std::string() : paint(text_at(step, "component"), Colour::dim);
  }

  /// Where the lines of the steps have their last piece.
  std::size_t note_column() const { return 2 * parallel_indent + 2 + name_columns_ + 2 + 9 + 1 + 8 + 2; }
  /// With --attempts nothing is left out.
  std::string fitting(std::string text, std::size_t column) const {
    constexpr std::size_t note_columns_min = 20;
    if (style_.has_attempts) return text;
    return shortened(std::move(text), std::max(columns_max - std::min(column, columns_max), note_columns_min));
  }

  std::string undone(const Json& step) const {
    const auto began = moment_in(execution_, "startedAt");
    const auto at = moment_in(step, "compensatedAt");
    const std::string by = text_at(step, "compensation");
    const std::string after = began && at ? fmt::format("after {}", span_text(*at - *began)) : std::string();
    return after + (by.empty() ? "" : paint((after.empty() ? "by " : ", by ") + by, Colour::dim));
  }

  void attempts(const Json& step, const std::string& rail) {
    const Json& all = array_at(step, "attempts");
    if (is_plain(all) && !style_.has_attempts) return;
    for (const Json& attempt : all.GetArray()) {
      const auto began = moment_in(attempt, "startedAt");
      const auto ended = moment_in(attempt, "endedAt");
      const std::string span = began && ended ? span_text(*ended - *began) : std::string();
      const std::string moment = text_at(attempt, "startedAt");
      const std::string clock = moment.size() > 23 ? moment.substr(11, 12) : moment;
      line(fmt::format(
          "{}    {}", rail,
          paint(fmt::format("{:<12} {}.{}  {}  {:<8} {:>8}  {}", text_at(attempt, "direction"),
                            number_at(attempt, "round"), number_at(attempt, "attempt"), clock,
                            text_at(attempt, "state"), span, fitting(failure_text(attempt), attempt_column)),
                Colour::dim)));
    }
  }

  void names(const char* member, std::string_view title, std::string_view says) {
    std::vector<std::string> all;
    for (const Json& name : array_at(execution_, member).GetArray()) all.push_back(config::printable(name.GetString()));
    if (all.empty()) return;
    line("");
    line(fmt::format("{} {}  {}", paint(std::string(title), Colour::red), fmt::join(all, ", "),
                     paint(std::string(says), Colour::dim)));
  }

  void tail() {
    names("open", "Open:", "may be done, and is not undone");
    names("unverified", "Unverified:", "undone, but a request of which nothing is known may still run");
    output();
    notes();
    const Json& advice = array_at(execution_, "advice");
    if (advice.Empty()) return;
    std::size_t columns = 0;
    for (const Json& one : advice.GetArray()) columns = std::max(columns, text_at(one, "why").size());
    line("");
    line("What to do:");
    for (const Json& one : advice.GetArray()) {
      line(fmt::format("  {:<{}}  → {}", config::printable(text_at(one, "why")), columns,
                       config::printable(text_at(one, "command"))));
    }
  }

  void notes() {
    const Json& all = array_at(execution_, "notes");
    if (all.Empty()) return;
    line("");
    line("Notes:");
    for (const Json& note : all.GetArray()) {
      const std::string whose =
          fmt::format("{}, {}:", text_at(note, "operator"), ago_text(text_at(note, "at"), style_.now));
      line(fmt::format("  {} {}", paint(config::printable(whose), Colour::dim),
                       config::printable(text_at(note, "note"))));
    }
  }

  void output() {
    constexpr std::size_t shown_max = 300;
    if (!execution_.HasMember("output") || execution_["output"].IsNull()) return;
    std::string text = config::printable(json_of(execution_["output"]));
    if (text.size() > shown_max) text = fmt::format("{}… (--json has all of it)", text.substr(0, shown_max));
    line("");
    line("Output: " + text);
  }

  const Json& execution_;
  const TreeStyle& style_;
  std::size_t name_columns_ = 0;
  std::vector<std::string> lines_;
};

}  // namespace

std::string span_text(Duration span) {
  using namespace std::chrono;
  if (span < seconds(1)) return fmt::format("{} ms", std::max<std::int64_t>(0, floor<milliseconds>(span).count()));
  if (span < minutes(1)) return fmt::format("{:.1f} s", duration<double>(span).count());
  return age_text(span);
}

std::vector<std::string> saga_tree(const Json& execution, const TreeStyle& style) {
  return TreeDrawing(execution, style).draw();
}

}  // namespace makegood::cli
