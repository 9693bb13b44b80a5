// A server of a test's own on 127.0.0.1: started, frozen, killed and started again at the same port.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace makegood::testing_support {

/// One that was free a moment ago.
std::uint16_t free_port();
/// Where the program is, or empty: then tests that need it are skipped.
std::string path_of_program(const std::string& name);

class ServerProcess {
 public:
  /// `command` begins with the program; it must stay in the foreground. `environment` is added to our own.
  ServerProcess(std::vector<std::string> command, std::uint16_t port, std::string log,
                std::vector<std::string> environment = {});
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  std::uint16_t port() const { return port_; }
  /// Waits until it can be connected to. What fails throws, with where its log is.
  void start(std::chrono::seconds limit = std::chrono::seconds(60));
  /// Of a program that is no server: waits until it has ended.
  void run_to_end();
  /// As a power cut does for it; what the kernel has is kept.
  void kill();
  void end();
  /// Returns when all its threads stand still.
  void freeze();
  void thaw();

 private:
  void spawn();
  void signal_and_wait(int signal);

  const std::vector<std::string> command_;
  const std::uint16_t port_;
  const std::string log_;
  const std::vector<std::string> environment_;
  pid_t process_ = -1;
};

}  // namespace makegood::testing_support
