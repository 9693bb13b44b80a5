#include "stores/sqlite/json_array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace makegood::sqlite {

std::string json_array_of(std::span<const std::string> texts) {
  rapidjson::StringBuffer json;
  rapidjson::Writer<rapidjson::StringBuffer> writer(json);
  writer.StartArray();
  for (const std::string& text : texts) writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  writer.EndArray();
  return {json.GetString(), json.GetSize()};
}

std::string json_array_of(std::span<const std::int64_t> numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

}  // namespace makegood::sqlite
