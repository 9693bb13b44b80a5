// JSON as it came in, read one level at a time: each value keeps the exact text that it had.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/result.hpp"

namespace makegood::api {

struct JsonValue {
  enum class Kind : std::uint8_t { null, boolean, number, text, object, array };
  Kind kind = Kind::null;
  std::string_view source = {};  ///< Byte for byte, without blanks around it.
  std::string text = {};         ///< Of a text: what it says.
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

/// Deeper than this is refused, whatever it says.
inline constexpr int json_depth_max = 64;

/// Errc::invalid, with the place, when `text` is not one JSON object or is too deep. Names may come twice.
Result<std::vector<JsonMember>> read_object(std::string_view text);
/// The same for an array.
Result<std::vector<JsonValue>> read_array(std::string_view text);
/// Any value, not too deep.
bool is_json(std::string_view text);

}  // namespace makegood::api
