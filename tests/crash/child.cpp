#include "tests/crash/child.hpp"

#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "makegood/spi/assert.hpp"

namespace makegood::crash {

Child::Child(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  MAKEGOOD_ASSERT(posix_spawn(&pid_, arguments[0], nullptr, nullptr, arguments.data(), environ) == 0);
}

Child::Child(const std::function<int()>& life) {
  pid_ = fork();
  MAKEGOOD_ASSERT(pid_ >= 0);
  if (pid_ == 0) _exit(life());
}

void Child::freeze() {
  ::kill(pid_, SIGSTOP);
  MAKEGOOD_ASSERT(await_frozen(10));
}

void Child::thaw() { ::kill(pid_, SIGCONT); }

bool Child::await_frozen(int seconds) {
  siginfo_t state{};
  for (int i = 0; i <= seconds * 1000; ++i) {
    MAKEGOOD_ASSERT(waitid(P_PID, static_cast<id_t>(pid_), &state, WSTOPPED | WEXITED | WNOHANG | WNOWAIT) == 0);
    if (state.si_pid == pid_) return state.si_code == CLD_STOPPED;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

void Child::kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  waitpid(std::exchange(pid_, -1), nullptr, 0);
}

int Child::wait(int seconds) {
  const int process = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  MAKEGOOD_ASSERT(process >= 0);
  pollfd ended{.fd = process, .events = POLLIN, .revents = 0};
  const bool has_ended = poll(&ended, 1, seconds * 1000) == 1;
  close(process);
  if (!has_ended) {
    kill();
    return -1000;
  }
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace makegood::crash
