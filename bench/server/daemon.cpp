#include "bench/server/daemon.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <utility>

#include "bench/process.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

Child started(const Scratch& scratch, const std::vector<std::string>& flags) {
  std::vector<std::string> words = {beside_this_program("makegood").string(),
                                    "serve",
                                    "--store",
                                    scratch.url(),
                                    "--listen",
                                    "127.0.0.1:0",
                                    "--set",
                                    "server.open_on_loopback=true"};
  words.insert(words.end(), flags.begin(), flags.end());
  auto child = Child::start(std::move(words));
  MAKEGOOD_ASSERT(child.has_value());
  return std::move(*child);
}

double figure_in(const std::string& path, std::string_view wanted) {
  std::ifstream lines(path);
  for (std::string word; lines >> word;) {
    double value = 0;
    if (word == wanted && lines >> value) return value;
  }
  return 0;
}

}  // namespace

Daemon::Daemon(const Scratch& scratch, const std::vector<std::string>& flags) : child_(started(scratch, flags)) {
  const auto began = system_clock().monotonic();
  const std::string hello = child_.read_line();
  start_seconds_ = seconds_since(began);
  const std::size_t begin = hello.find("http://");
  MAKEGOOD_ASSERT(begin != std::string::npos);
  url_ = hello.substr(begin, hello.find(' ', begin) - begin);
}

double Daemon::stop_seconds() {
  const auto began = system_clock().monotonic();
  ::kill(child_.pid(), SIGTERM);
  child_.read_all();  // Ends when the process does.
  return seconds_since(began);
}

double Daemon::resident_megabytes() const {
  return figure_in(fmt::format("/proc/{}/status", child_.pid()), "VmRSS:") / 1024;
}

double Daemon::cpu_milliseconds() const {
  std::ifstream stat(fmt::format("/proc/{}/stat", child_.pid()));
  constexpr int words_before = 13;  // Then come the ticks of the user's time and of the system's.
  std::string ignored;
  for (int i = 0; i < words_before; ++i) stat >> ignored;
  double user = 0;
  double system = 0;
  stat >> user >> system;
  return (user + system) * 1000 / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace makegood::bench
