// makegood saga show|watch: one execution as a tree, once or until it has ended.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "cli/saga_flags.hpp"
#include "cli/saga_tree.hpp"

namespace makegood::cli {
namespace {

constexpr auto watch_interval = std::chrono::milliseconds(150);

struct ShownSaga {
  SagaName name = {};
  bool has_attempts = false;
};

bool is_drawn_on_terminal() { return ::isatty(STDOUT_FILENO) != 0; }

TreeStyle style_of(const ShownSaga& shown) {
  const bool wants_colours = std::getenv("NO_COLOR") == nullptr;
  return {.now = system_clock().now(),
          .has_colours = wants_colours && is_drawn_on_terminal(),
          .has_attempts = shown.has_attempts};
}

void print_lines(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) fmt::print("{}\n", line);
  std::fflush(stdout);
}

Result<> show_execution(const Program& program, const ShownSaga& shown) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string answer = MAKEGOOD_TRY(client->get(execution_path(shown.name), execution_query(shown.name).text()));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  const auto execution = MAKEGOOD_TRY(parse_answer(answer));
  print_lines(saga_tree(execution, style_of(shown)));
  return {};
}

bool is_over(const Json& execution) {
  constexpr auto ends = std::to_array<std::string_view>({"completed", "compensated", "failed", "cancelled"});
  return std::ranges::find(ends, text_at(execution, "state")) != ends.end();
}

/// On a terminal the tree is drawn over itself, so that its times run; elsewhere each change is a new one.
class SagaWatch {
 public:
  SagaWatch(const Program& program, const ShownSaga& shown, Client& client)
      : program_(program), shown_(shown), client_(client) {}

  Result<> run() {
    while (true) {
      const std::string answer =
          MAKEGOOD_TRY(client_.get(execution_path(shown_.name), execution_query(shown_.name).text()));
      const auto execution = MAKEGOOD_TRY(parse_answer(answer));
      const bool is_changed = answer != last_;
      last_ = answer;
      if (is_changed || is_live_) draw(execution, answer);
      if (is_over(execution)) return {};
      std::this_thread::sleep_for(watch_interval);
    }
  }

 private:
  void draw(const Json& execution, const std::string& answer) {
    if (program_.as_json) {
      fmt::print("{}\n", answer);
      std::fflush(stdout);
      return;
    }
    const std::vector<std::string> lines = saga_tree(execution, style_of(shown_));
    if (is_live_ && lines_drawn_ > 0) fmt::print("\x1b[{}A\x1b[J", lines_drawn_);
    if (!is_live_ && lines_drawn_ > 0) fmt::print("\n");
    print_lines(lines);
    lines_drawn_ = lines.size();
  }

  const Program& program_;
  const ShownSaga& shown_;
  Client& client_;
  const bool is_live_ = is_drawn_on_terminal() && !program_.as_json;
  std::string last_;
  std::size_t lines_drawn_ = 0;
};

Result<> watch_execution(const Program& program, const ShownSaga& shown) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  return SagaWatch(program, shown, *client).run();
}

void add_attempts_flag(CLI::App& verb, ShownSaga& shown) {
  verb.add_flag("--attempts", shown.has_attempts, "Show each attempt, also where one went well, and whole errors");
}

}  // namespace

void add_saga_show(CLI::App& saga, Program& program) {
  CLI::App& verb = *saga.add_subcommand("show", "Show an execution as a tree, and what to do about it");
  const auto shown = std::make_shared<ShownSaga>();
  add_saga_flags(verb, program, shown->name);
  add_attempts_flag(verb, *shown);
  verb.footer("✓ done  ▸ in flight  … waiting  ✗ failed  ? may be done  ↶ undone or being undone  ! open  - skipped");
  run(verb, program, [&program, shown] { return show_execution(program, *shown); });
}

void add_saga_watch(CLI::App& saga, Program& program) {
  CLI::App& verb = *saga.add_subcommand("watch", "Show an execution until it has ended");
  const auto shown = std::make_shared<ShownSaga>();
  add_saga_flags(verb, program, shown->name);
  add_attempts_flag(verb, *shown);
  verb.footer("Without a terminal, and with --json, each change is printed once.");
  run(verb, program, [&program, shown] { return watch_execution(program, *shown); });
}

}  // namespace makegood::cli
