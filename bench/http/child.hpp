// Another program, and what it prints.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace makegood::bench {

/// Killed and waited for at the end, if it has not ended by then.
class Child {
 public:
  /// The first word is a path, or a name that is looked for in PATH. Empty: there is no such program.
  static std::optional<Child> start(std::vector<std::string> words);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  /// Up to the end of a line, without it.
  std::string read_line();
  std::string read_all();
  pid_t pid() const { return pid_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  Child(pid_t pid, std::FILE* output) : pid_(pid), output_(output) {}

  pid_t pid_;
  std::unique_ptr<std::FILE, Close> output_;
};

/// A file that the build put beside this program.
std::filesystem::path beside_this_program(const std::string& name);

}  // namespace makegood::bench
