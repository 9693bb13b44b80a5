#include "daemon/listening.hpp"

#include <charconv>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace makegood::daemon {
namespace {

constexpr std::string_view listening = "0A";
constexpr std::size_t local_column = 1;
constexpr std::size_t state_column = 3;
constexpr std::size_t user_column = 7;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t begin = line.find_first_not_of(' '); begin != line.npos; begin = line.find_first_not_of(' ')) {
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

template <class Number>
Number number_in(std::string_view text, int base) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

std::string text_of(const char* file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace

bool has_only_listeners_of(std::string_view table, std::uint16_t port, uid_t user, bool& listens) {
  while (!table.empty()) {
    const std::size_t end = std::min(table.find('\n'), table.size());
    const auto words = words_of(table.substr(0, end));
    table.remove_prefix(std::min(end + 1, table.size()));
    if (words.size() <= user_column || words[state_column] != listening) continue;
    const std::string_view local = words[local_column];
    if (number_in<std::uint16_t>(local.substr(local.find(':') + 1), 16) != port) continue;
    if (number_in<uid_t>(words[user_column], 10) != user) return false;
    listens = true;
  }
  return true;
}

bool is_listening(const server::Address& address, uid_t user) {
  bool listens = false;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    if (!has_only_listeners_of(text_of(table), address.port, user, listens)) return false;
  }
  return listens;
}

}  // namespace makegood::daemon
