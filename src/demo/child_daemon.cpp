#include "demo/child_daemon.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <utility>

namespace makegood::demo {
namespace {

using namespace std::chrono_literals;

constexpr const char* this_program = "/proc/self/exe";
constexpr auto stops_within = 30s;
constexpr auto looked_at_every = 20ms;

/// In the child. The parent has blocked its signals, to wait for them; the child wants them. A group of its own,
/// because Ctrl-C reaches a whole group, and a daemon that is asked to end twice does so at once.
[[noreturn]] void become(const std::vector<char*>& arguments, const char* log) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int file = ::open(log, O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(file, STDOUT_FILENO);
  ::dup2(file, STDERR_FILENO);
  ::execv(this_program, arguments.data());
  ::_exit(127);
}

}  // namespace

Result<DemoDaemon> DemoDaemon::start(std::vector<std::string> words, const std::string& log) {
  std::string name = "makegood";
  std::vector<char*> arguments = {name.data()};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) become(arguments, log.c_str());
  if (pid < 0) return Error{Errc::internal, "The demo cannot start makegood serve."};
  return DemoDaemon(pid);
}

DemoDaemon::DemoDaemon(DemoDaemon&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}

DemoDaemon::~DemoDaemon() { stop(); }

bool DemoDaemon::is_alive() {
  if (pid_ == 0) return false;
  if (::waitpid(pid_, nullptr, WNOHANG) == 0) return true;
  pid_ = 0;
  return false;
}

void DemoDaemon::stop() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGTERM);
  for (auto waited = 0ms; waited < stops_within && is_alive(); waited += looked_at_every)
    std::this_thread::sleep_for(looked_at_every);
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

}  // namespace makegood::demo
