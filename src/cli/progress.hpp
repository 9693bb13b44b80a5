// A bar on the terminal while long work goes on.
#pragma once

#include <cstdint>
#include <string>

namespace makegood::cli {

/// Nothing at all when the error output is not a terminal.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(std::int64_t done, std::int64_t total) const;

 private:
  std::string what_;
  bool is_terminal_;
};

}  // namespace makegood::cli
