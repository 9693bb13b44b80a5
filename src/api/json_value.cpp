#include "api/json_value.hpp"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

namespace makegood::api {
namespace {

using Kind = JsonValue::Kind;
using rapidjson::SizeType;

/// Collects the values of the outermost object or array; what is inside them is only passed. RapidJSON calls it back
/// when it has just read what it tells of, so the stream stands at the end of that.
class LevelReader {
 public:
  LevelReader(std::string_view text, rapidjson::MemoryStream& stream) : text_(text), stream_(stream) {}

  Kind root = Kind::null;
  bool is_too_deep = false;
  std::vector<JsonMember> members = {};

  bool Null() { return scalar(Kind::null); }
  bool Bool(bool) { return scalar(Kind::boolean); }
  bool RawNumber(const char*, SizeType, bool) { return scalar(Kind::number); }
  bool String(const char* text, SizeType size, bool) { return scalar(Kind::text, {text, size}); }
  bool Key(const char* text, SizeType size, bool) {
    if (depth_ == 1) {
      name_.assign(text, size);
      mark_ = stream_.Tell();
    }
    return true;
  }
  bool StartObject() { return begin(Kind::object); }
  bool StartArray() { return begin(Kind::array); }
  bool EndObject(SizeType) { return end(Kind::object); }
  bool EndArray(SizeType) { return end(Kind::array); }
  // Never called: numbers come as they are written.
  bool Int(int) { return true; }
  bool Uint(unsigned) { return true; }
  bool Int64(std::int64_t) { return true; }
  bool Uint64(std::uint64_t) { return true; }
  bool Double(double) { return true; }

 private:
  bool scalar(Kind kind, std::string_view text = {}) {
    if (depth_ == 0) root = kind;
    if (depth_ == 1) take(kind, text);
    return true;
  }

  bool begin(Kind kind) {
    if (depth_ == 0) {
      root = kind;
      mark_ = stream_.Tell();
    }
    is_too_deep = ++depth_ > json_depth_max;
    return !is_too_deep;
  }

  bool end(Kind kind) {
    if (--depth_ == 1) take(kind, {});
    return true;
  }

  /// From the mark, past one colon or comma, to where the stream stands.
  void take(Kind kind, std::string_view text) {
    const std::size_t begin = text_.find_first_not_of(" \t\r\n:,", mark_);
    mark_ = stream_.Tell();
    members.push_back({name_, {kind, text_.substr(begin, mark_ - begin), std::string(text)}});
  }

  std::string_view text_;
  rapidjson::MemoryStream& stream_;
  int depth_ = 0;
  std::size_t mark_ = 0;
  std::string name_;
};

Error not_json(std::string_view why, std::size_t offset) {
  return {Errc::invalid, fmt::format("The body is not JSON: {} (byte {})", why, offset)};
}

struct Level {
  Kind root = Kind::null;
  std::vector<JsonMember> members = {};
};

Result<Level> read_level(std::string_view text) {
  constexpr unsigned flags = rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag;
  rapidjson::MemoryStream stream(text.data(), text.size());
  LevelReader level(text, stream);
  rapidjson::Reader reader;
  const rapidjson::ParseResult parsed = reader.Parse<flags>(stream, level);
  if (level.is_too_deep) {
    return Error{Errc::invalid, fmt::format("The body is nested deeper than {} levels.", json_depth_max)};
  }
  if (!parsed) return not_json(rapidjson::GetParseError_En(parsed.Code()), parsed.Offset());
  // A NUL byte looks like the end to the reader.
  if (stream.Tell() != text.size()) return not_json("there is a NUL byte.", stream.Tell());
  return Level{level.root, std::move(level.members)};
}

}  // namespace

Result<std::vector<JsonMember>> read_object(std::string_view text) {
  Level level = MAKEGOOD_TRY(read_level(text));
  if (level.root != Kind::object) return Error{Errc::invalid, "The body must be a JSON object."};
  return std::move(level.members);
}

Result<std::vector<JsonValue>> read_array(std::string_view text) {
  Level level = MAKEGOOD_TRY(read_level(text));
  if (level.root != Kind::array) return Error{Errc::invalid, "The body must be a JSON array."};
  std::vector<JsonValue> values;
  values.reserve(level.members.size());
  for (JsonMember& element : level.members) values.push_back(std::move(element.value));
  return values;
}

bool is_json(std::string_view text) { return read_level(text).has_value(); }

}  // namespace makegood::api
