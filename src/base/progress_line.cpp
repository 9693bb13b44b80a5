#include "base/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace makegood {
namespace {

constexpr auto told_every = std::chrono::milliseconds(200);

std::string bar(double share) {
  constexpr int width = 30;
  const int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * width);
  return "[" + std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(width - full), '.') + "]";
}

}  // namespace

ProgressLine::ProgressLine(const Clock& clock) : clock_(clock), is_terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressLine::tell(double share, const std::string& words) { tell(bar(share) + " " + words); }

void ProgressLine::tell(const std::string& words) {
  const MonotonicTime now = clock_.monotonic();
  if (!is_terminal_ || now < next_) return;
  next_ = now + told_every;
  fmt::print(stderr, "\r{:<100}", words);
  std::fflush(stderr);
}

void ProgressLine::clear() const {
  if (is_terminal_) fmt::print(stderr, "\r{:<100}\r", "");
}

}  // namespace makegood
