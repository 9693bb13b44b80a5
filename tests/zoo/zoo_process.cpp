#include "tests/zoo/zoo_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>

namespace makegood::testing_support {
namespace {

constexpr std::chrono::seconds farewell_max{5};

/// Both ends are closed in every other child, or the zoo would never see its input end.
std::array<int, 2> open_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe for the zoo");
  return ends;
}

int milliseconds_until(std::chrono::steady_clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  return left.count() > 0 ? static_cast<int>(left.count()) : 0;
}

}  // namespace

ZooProcess::ZooProcess(const std::string& program) {
  const auto in = open_pipe();
  const auto out = open_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  std::string name = program;
  std::array<char*, 2> words{name.data(), nullptr};
  const int failure = posix_spawn(&pid_, name.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  input_ = in[1];
  output_ = out[0];
  if (failure != 0) throw std::runtime_error("cannot start " + program);
}

ZooProcess::~ZooProcess() {
  close(input_);
  close(output_);
  if (!has_ended_within(farewell_max)) ::kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool ZooProcess::has_ended_within(std::chrono::milliseconds limit) const {
  const int process = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  pollfd ended{.fd = process, .events = POLLIN, .revents = 0};
  const bool has_ended = poll(&ended, 1, static_cast<int>(limit.count())) == 1;
  close(process);
  return has_ended;
}

std::string ZooProcess::first_line(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  std::string line;
  while (!line.ends_with('\n')) {
    pollfd readable{.fd = output_, .events = POLLIN, .revents = 0};
    std::array<char, 4096> piece{};
    const bool is_ready = poll(&readable, 1, milliseconds_until(end)) == 1;
    const ssize_t size = is_ready ? read(output_, piece.data(), piece.size()) : 0;
    if (size <= 0) throw std::runtime_error("the zoo did not get ready");
    line.append(piece.data(), static_cast<std::size_t>(size));
  }
  return line;
}

}  // namespace makegood::testing_support
