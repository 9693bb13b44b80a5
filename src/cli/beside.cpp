// makegood bench|sim: programs of their own, started from here when they lie beside this one.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "cli/verbs.hpp"

namespace makegood::cli {
namespace {

struct Beside {
  const char* verb;
  const char* program;
  const char* description;
};
constexpr Beside bench_beside{"bench", "makegood-bench", "Measure this machine: enqueue, drain, latency, idle"};
constexpr Beside sim_beside{"sim", "makegood-sim", "Run the simulator: seeded faults, checked promises"};

/// Becomes the other program, so that its exit code and its signals are its own.
Result<> become(const Beside& other, const std::vector<std::string>& arguments) {
  std::error_code ignored;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::string file = (here / other.program).string();
  std::vector<std::string> words = {file};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(file.c_str(), argv.data());
  return Error{Errc::not_found,
               fmt::format("{} is not beside this program ({}). It is built from the source tree: cmake "
                           "--preset release && cmake --build --preset release --target {}.",
                           other.program, std::strerror(errno), other.program)};
}

void add_beside(CLI::App& app, Program& program, const Beside& other) {
  CLI::App& verb = *app.add_subcommand(other.verb, other.description);
  verb.prefix_command();
  verb.footer(fmt::format("All arguments go to {}, which lies beside this program: '{} --help'.", other.program,
                          other.program));
  run(verb, program, [&other, &verb] { return become(other, verb.remaining()); });
}

}  // namespace

void add_bench(CLI::App& app, Program& program) { add_beside(app, program, bench_beside); }
void add_sim(CLI::App& app, Program& program) { add_beside(app, program, sim_beside); }

}  // namespace makegood::cli
