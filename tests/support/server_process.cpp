#include "tests/support/server_process.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "base/descriptor.hpp"

namespace makegood::testing_support {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool answers(std::uint16_t port) {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  return ::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

/// Whether one of these (`NAME=value`) has the name of this variable.
bool is_set_in(const std::vector<std::string>& variables, std::string_view variable) {
  const std::string_view name = variable.substr(0, variable.find('=') + 1);
  return std::ranges::any_of(variables, [&](const std::string& each) { return each.starts_with(name); });
}

/// Whether this thread is of the group and still runs.
bool runs_in(pid_t group, const std::filesystem::path& thread) {
  std::ifstream file(thread / "stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return false;
  std::istringstream rest(text.substr(name_end + 1));
  char state = 0;
  pid_t parent = 0;
  pid_t its_group = 0;
  rest >> state >> parent >> its_group;
  return its_group == group && state != 'T' && state != 'Z' && state != 'X';
}

/// A signal that stops a process with many threads stops them one after the other.
bool stands_still(pid_t group) {
  using std::filesystem::directory_iterator;
  std::error_code gone;
  for (const auto& process : directory_iterator("/proc")) {
    if (std::isdigit(static_cast<unsigned char>(process.path().filename().string().front())) == 0) continue;
    for (directory_iterator thread(process.path() / "task", gone), end; !gone && thread != end;
         thread.increment(gone)) {
      if (runs_in(group, thread->path())) return false;
    }
  }
  return true;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

std::uint16_t free_port() {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("no port is free");
  }
  return ntohs(address.sin_port);
}

std::string path_of_program(const std::string& name) {
  for (const char* const folder : {"/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/usr/lib/rabbitmq/bin/"}) {
    if (::access((folder + name).c_str(), X_OK) == 0) return folder + name;
  }
  return {};
}

ServerProcess::ServerProcess(std::vector<std::string> command, std::uint16_t port, std::string log,
                             std::vector<std::string> environment)
    : command_(std::move(command)), port_(port), log_(std::move(log)), environment_(std::move(environment)) {}

ServerProcess::~ServerProcess() { kill(); }

void ServerProcess::spawn() {
  std::vector<std::string> command = command_;
  std::vector<std::string> environment = environment_;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!is_set_in(environment_, *variable)) environment.emplace_back(*variable);
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, log_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  // A group of its own: whatever it starts ends with it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int failed = ::posix_spawn(&process_, command.front().c_str(), &files, &attributes, pointers(command).data(),
                                   pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) throw std::runtime_error("cannot start " + command_.front());
}

void ServerProcess::run_to_end() {
  spawn();
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

void ServerProcess::start(std::chrono::seconds limit) {
  spawn();
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!answers(port_)) {
    if (::waitpid(process_, nullptr, WNOHANG) == process_) {
      process_ = -1;
      throw std::runtime_error(command_.front() + " has ended; its log is " + log_);
    }
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error(command_.front() + " does not answer");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void ServerProcess::signal_and_wait(int signal) {
  if (process_ < 0) return;
  ::kill(-process_, SIGCONT);
  ::kill(signal == SIGKILL ? -process_ : process_, signal);
  ::waitpid(process_, nullptr, 0);
  ::kill(-process_, SIGKILL);
  process_ = -1;
}

void ServerProcess::kill() { signal_and_wait(SIGKILL); }
void ServerProcess::end() { signal_and_wait(SIGTERM); }
void ServerProcess::freeze() {
  ::kill(-process_, SIGSTOP);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!stands_still(process_)) {
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error(command_.front() + " does not stand still");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}
void ServerProcess::thaw() { ::kill(-process_, SIGCONT); }

}  // namespace makegood::testing_support
