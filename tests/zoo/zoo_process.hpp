// The process of the zoo: its standard input is held open as long as it is wanted.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

namespace makegood::testing_support {

class ZooProcess {
 public:
  explicit ZooProcess(const std::string& program);
  /// Closes its input, which ends it; kills it when it does not listen.
  ~ZooProcess();
  ZooProcess(const ZooProcess&) = delete;
  ZooProcess& operator=(const ZooProcess&) = delete;

  /// What it says when it is ready; throws when it does not, or ends.
  std::string first_line(std::chrono::milliseconds limit);

 private:
  bool has_ended_within(std::chrono::milliseconds limit) const;

  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
};

}  // namespace makegood::testing_support
