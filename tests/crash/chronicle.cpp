#include "tests/crash/chronicle.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "makegood/spi/assert.hpp"

namespace makegood::crash {

Chronicle::Chronicle(const std::string& file)
    : descriptor_(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
  MAKEGOOD_ASSERT(descriptor_ >= 0);
}

Chronicle::~Chronicle() { ::close(descriptor_); }

void Chronicle::note(std::initializer_list<std::string_view> words) const {
  std::string line;
  for (const std::string_view word : words) line.append(line.empty() ? "" : " ").append(word);
  line += '\n';
  MAKEGOOD_ASSERT(::write(descriptor_, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
}

std::vector<Line> read_chronicle(const std::string& file) {
  std::vector<Line> lines;
  std::ifstream stream(file);
  for (std::string text; std::getline(stream, text);) {
    std::istringstream words(text);
    lines.emplace_back();
    for (std::string word; words >> word;) lines.back().push_back(word);
  }
  return lines;
}

Line find_line(const std::vector<Line>& lines, std::string_view word) {
  const auto found = std::ranges::find(lines, word, [](const Line& line) { return line.front(); });
  return found == lines.end() ? Line() : *found;
}

std::size_t count_lines(const std::vector<Line>& lines, std::string_view word) {
  return static_cast<std::size_t>(std::ranges::count(lines, word, [](const Line& line) { return line.front(); }));
}

}  // namespace makegood::crash
