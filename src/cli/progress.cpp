#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace makegood::cli {
namespace {

constexpr std::int64_t bar_columns = 30;

}  // namespace

Progress::Progress(std::string what) : what_(std::move(what)), is_terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (is_terminal_) fmt::print(stderr, "\n");
}

void Progress::show(std::int64_t done, std::int64_t total) const {
  if (!is_terminal_) return;
  const std::int64_t filled = total > 0 ? std::min(bar_columns, done * bar_columns / total) : bar_columns;
  fmt::print(stderr, "\r{} [{:#<{}}{:.<{}}] {} of {}", what_, "", filled, "", bar_columns - filled, done, total);
  std::fflush(stderr);
}

}  // namespace makegood::cli
