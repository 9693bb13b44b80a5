// The headers of one request, in one piece of memory: a text for each would be twenty allocations per request.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

namespace makegood::http {

/// Lines `Name: value`, each with a zero at its end, as libcurl reads them.
class HeaderLines {
 public:
  void reserve(std::size_t bytes) { text_.reserve(bytes); }
  /// Keeps its memory for the next request, unless that is unusually much.
  void clear() {
    text_.clear();
    if (text_.capacity() > kept_bytes_max) text_.shrink_to_fit();
  }
  /// Begins a line. What is appended to the text belongs to its value, until the next line begins.
  std::string& begin(std::string_view name) { return begin({}, name); }
  std::string& begin(std::string_view prefix, std::string_view name) {
    if (!text_.empty()) text_ += '\0';
    return text_.append(prefix).append(name).append(": ");
  }
  void add(std::string_view name, std::string_view value) { begin(name).append(value); }
  void add_line(std::string_view line) {
    if (!text_.empty()) text_ += '\0';
    text_.append(line);
  }

  /// With the first character of each line, which may be written to as libcurl's type wants it; nobody does.
  template <class Visit>
  void for_each(Visit visit) {
    char* const end = text_.data() + text_.size();
    for (char* line = text_.data(); line < end; line += std::strlen(line) + 1) visit(line);
  }

 private:
  static constexpr std::size_t kept_bytes_max = 4096;
  std::string text_;
};

}  // namespace makegood::http
