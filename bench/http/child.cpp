#include "bench/http/child.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <utility>

#include "makegood/spi/assert.hpp"

namespace makegood::bench {

std::optional<Child> Child::start(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  MAKEGOOD_ASSERT(pipe2(ends.data(), O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int code = posix_spawnp(&pid, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (code == 0) return Child(pid, fdopen(ends[0], "r"));
  close(ends[0]);
  return std::nullopt;
}

Child::Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, 0)), output_(std::move(other.output_)) {}

Child::~Child() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string Child::read_line() {
  std::string line;
  for (int c = std::fgetc(output_.get()); c != EOF && c != '\n'; c = std::fgetc(output_.get()))
    line += static_cast<char>(c);
  return line;
}

std::string Child::read_all() {
  std::string all;
  for (int c = std::fgetc(output_.get()); c != EOF; c = std::fgetc(output_.get())) all += static_cast<char>(c);
  return all;
}

std::filesystem::path beside_this_program(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

}  // namespace makegood::bench
