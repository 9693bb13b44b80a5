#include "cli/asking.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "cli/apply.hpp"
#include "cli/json_view.hpp"

namespace makegood::cli {

namespace {

/// Containers and services often have no USER; some not even a name for their number.
std::string login_name() {
  if (const char* user = std::getenv("USER"); user != nullptr && *user != '\0') return user;
  if (const passwd* entry = ::getpwuid(::geteuid()); entry != nullptr) return entry->pw_name;
  return fmt::format("uid {}", ::geteuid());
}

}  // namespace

void add_operator_flags(CLI::App& verb, Program& program) {
  program.operator_name = login_name();
  verb.add_option("--operator", program.operator_name,
                  "Who asks; kept with the request, unless a token tells. Default: $USER, or the login's name")
      ->type_name("NAME");
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
    fmt::print("No change: already in that state.\n");
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
    fmt::print("No change: already in that state.\n");
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

bool has_terminal() { return ::isatty(STDIN_FILENO) != 0; }

Result<> confirm(const std::string& question, const std::string& otherwise) {
  if (!has_terminal()) {
    return Error{Errc::invalid, fmt::format("{} There is no terminal to ask on; say --yes if it is meant.", otherwise)};
  }
  fmt::print(stderr, "{} [y/N] ", question);
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "y" || answer == "yes") return {};
  return Error{Errc::invalid, otherwise};
}

}  // namespace makegood::cli
