#include "cli/asking.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "cli/apply.hpp"
#include "cli/json_view.hpp"

namespace makegood::cli {

void add_operator_flags(CLI::App& verb, Program& program) {
  verb.add_option("--operator", program.operator_name, "Who asks; kept with the request, unless a token tells")
      ->type_name("NAME")
      ->envname("USER")
      ->required();
  verb.add_option_function<double>(
          "--wait", [&program](double seconds) { program.wait = std::chrono::duration<double>(seconds); },
          "On a store: how long to wait for its owner's answer, default 2")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 3600.0));
}

void add_asking_flags(CLI::App& verb, Program& program, std::string& reason, Reason need) {
  add_operator_flags(verb, program);
  verb.add_option("--reason", reason, "Why; kept with the request")
      ->type_name("TEXT")
      ->required(need == Reason::required);
}

Result<> tell_asked(const Program& program, const Asking& asking, const std::string& answer) {
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  const auto told = MAKEGOOD_TRY(parse_answer(answer));
  const std::int64_t request = number_at(told, "request");
  if (request == 0) {
    fmt::print("There is nothing to do: it is so already.\n");
  } else if (text_at(told, "result") == "done") {
    fmt::print("Request {} is done: the owner of the lane {}.\n", request, asking.next);
  } else {
    fmt::print("Request {} is recorded. With its next turn the owner of the lane {}.\n", request, asking.next);
    fmt::print("'makegood outbox answer {}' tells what became of it; 'makegood status' whether there is an owner.\n",
               request);
  }
  return {};
}

void print_difference(const std::string& answer) {
  for (const std::string& line : difference_lines(answer)) fmt::print("{}\n", line);
}

Result<> tell_applied(const Program& program, const std::string& answer) {
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  const auto told = MAKEGOOD_TRY(parse_answer(answer));
  if (number_at(told, "request") == 0) {
    fmt::print("There is nothing to do: it is so already.\n");
  } else if (flag_at(told, "is_applied")) {
    fmt::print("Applied (request {}).\n", number_at(told, "request"));
  } else {
    fmt::print(
        "Recorded as request {0}; the owner of the lane applies it with its next turn.\n"
        "'makegood outbox answer {0}' tells what became of it; 'makegood status' whether there is an owner.\n",
        number_at(told, "request"));
  }
  return {};
}

bool is_confirmed(const std::string& question) {
  if (::isatty(STDIN_FILENO) == 0) return true;
  fmt::print(stderr, "{} [y/N] ", question);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

}  // namespace makegood::cli
