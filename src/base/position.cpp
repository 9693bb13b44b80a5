#include "makegood/position.hpp"

#include <fmt/format.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <iterator>
#include <span>

namespace makegood {
namespace {

/// A million numbers in one range is more than any window holds: the text is not ours.
constexpr Sequence range_max = 1'000'000;

void append_ranges(std::string& text, std::span<const Sequence> numbers) {
  text += '[';
  for (std::size_t begin = 0; begin < numbers.size();) {
    std::size_t end = begin + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    fmt::format_to(std::back_inserter(text), "{}[{},{}]", begin == 0 ? "" : ",", numbers[begin], numbers[end - 1]);
    begin = end;
  }
  text += ']';
}

Error broken(std::string_view what) {
  return {Errc::store_corrupt, "The stored position cannot be read; restore the turn table from a backup.",
          std::string(what)};
}

Result<std::vector<Sequence>> numbers_from(const rapidjson::Value& ranges) {
  if (!ranges.IsArray()) return broken("ranges are not an array");
  std::vector<Sequence> numbers;
  for (const auto& range : ranges.GetArray()) {
    if (!range.IsArray() || range.Size() != 2 || !range[0].IsInt64() || !range[1].IsInt64()) return broken("bad range");
    const Sequence first = range[0].GetInt64();
    const Sequence last = range[1].GetInt64();
    // Checked in this order nothing can overflow, whatever the text holds.
    if (first < 1 || last < first || last - first > range_max) return broken("range out of bounds");
    if (!numbers.empty() && first <= numbers.back()) return broken("ranges out of order");
    for (Sequence offset = 0; offset <= last - first; ++offset) numbers.push_back(first + offset);
  }
  return numbers;
}

}  // namespace

Sequence settled(const Position& position) {
  Sequence lowest = position.reached + 1;
  if (!position.open.empty()) lowest = std::min(lowest, position.open.front());
  for (const auto& [destination, numbers] : position.under_way) lowest = std::min(lowest, numbers.front());
  return lowest - 1;
}

std::string encode(const Position& position) {
  std::string text = fmt::format(R"({{"reached":{},"open":)", position.reached);
  append_ranges(text, position.open);
  text += R"(,"under_way":{)";
  for (bool is_first = true; const auto& [destination, numbers] : position.under_way) {
    fmt::format_to(std::back_inserter(text), R"({}"{}":)", is_first ? "" : ",", destination);
    append_ranges(text, numbers);
    is_first = false;
  }
  text += "}}";
  return text;
}

Result<Position> decode_position(std::string_view json) {
  rapidjson::Document document;
  document.Parse(json.data(), json.size());
  if (document.HasParseError() || !document.IsObject()) return broken("not a JSON object");
  const auto reached = document.FindMember("reached");
  const auto open = document.FindMember("open");
  const auto under_way = document.FindMember("under_way");
  const auto end = document.MemberEnd();
  if (reached == end || !reached->value.IsInt64() || open == end || under_way == end || !under_way->value.IsObject()) {
    return broken("a member is missing");
  }
  Position position{.reached = reached->value.GetInt64(), .open = MAKEGOOD_TRY(numbers_from(open->value))};
  for (const auto& [destination, ranges] : under_way->value.GetObject()) {
    auto numbers = MAKEGOOD_TRY(numbers_from(ranges));
    if (numbers.empty()) continue;
    position.under_way.emplace(std::string(destination.GetString(), destination.GetStringLength()), std::move(numbers));
  }
  return position;
}

}  // namespace makegood
