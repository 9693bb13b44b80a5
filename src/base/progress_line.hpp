// A line that is written over and over on a terminal, and never elsewhere.
#pragma once

#include <string>

#include "makegood/clock.hpp"

namespace makegood {

class ProgressLine {
 public:
  explicit ProgressLine(const Clock& clock);
  /// What is done, as a share of 1, and in words.
  void tell(double share, const std::string& words);
  void tell(const std::string& words);
  void clear() const;

 private:
  const Clock& clock_;
  const bool is_terminal_;
  MonotonicTime next_ = {};
};

}  // namespace makegood
