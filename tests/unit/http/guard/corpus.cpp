#include "tests/unit/http/guard/corpus.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace makegood::http {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

std::string unescape(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 2, "\\x") != 0) {
      result += text[at];
      continue;
    }
    result += static_cast<char>(std::stoi(text.substr(at + 2, 2), nullptr, 16));
    at += 3;
  }
  return result;
}

std::vector<testing_support::DnsReply> parse_answers(const std::string& text) {
  std::vector<testing_support::DnsReply> answers;
  if (text == "-") return answers;
  for (const std::string& one : split(text, '|')) answers.push_back({.addresses = split(one, ','), .ttl_seconds = 0});
  return answers;
}

}  // namespace

std::vector<Vector> read_corpus(const std::string& file) {
  std::ifstream stream(file);
  std::vector<Vector> vectors;
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string> fields = split(line, '\t');
    if (fields.size() != 5) throw std::runtime_error(file + ": five fields in line " + std::to_string(number));
    vectors.push_back({.line = number,
                       .first = fields[0],
                       .who = fields[1],
                       .url = unescape(fields[2]),
                       .answers = parse_answers(fields[3]),
                       .why = fields[4]});
  }
  return vectors;
}

}  // namespace makegood::http
