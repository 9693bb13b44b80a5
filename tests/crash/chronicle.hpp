// What really happened, kept outside of the store: one line per event, in the order of events, across all processes
// that lived and died on the way. A line is written in one call to a file opened for appending: it is there whole or
// not at all, and survives the process.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace makegood::crash {

class Chronicle {
 public:
  explicit Chronicle(const std::string& file);
  ~Chronicle();
  Chronicle(const Chronicle&) = delete;
  Chronicle& operator=(const Chronicle&) = delete;

  /// Thread-safe. Words hold no blanks.
  void note(std::initializer_list<std::string_view> words) const;

 private:
  const int descriptor_;
};

using Line = std::vector<std::string>;
std::vector<Line> read_chronicle(const std::string& file);
/// The first line that begins with this word; empty when there is none.
Line find_line(const std::vector<Line>& lines, std::string_view word);
std::size_t count_lines(const std::vector<Line>& lines, std::string_view word);

}  // namespace makegood::crash
