// The serialisation of Redis (RESP 2): commands that are sent, and values that come back.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/result.hpp"

namespace makegood::redis {

/// Views of the bytes it was read from.
struct Value {
  enum class Kind : std::uint8_t { text, error, number, list, nothing };
  Kind kind = Kind::nothing;
  std::string_view text = {};  ///< Of a text or an error.
  std::int64_t number = 0;
  std::vector<Value> items = {};
};

struct Parsed {
  Value value;
  std::size_t bytes = 0;
};
/// The other side speaks something else.
Error garbled();

/// More is not wanted, and is taken for garbled.
struct ParseLimits {
  std::int64_t bytes_max = std::int64_t{16} << 20;
  std::int64_t items_max = 1024;
};
/// Nothing: it is not whole yet. An error: it is no RESP.
Result<std::optional<Parsed>> parse_value(std::string_view bytes, const ParseLimits& limits = {});

/// A command of so many arguments, its name included; they are appended one by one.
void begin_command(std::string& to, std::size_t arguments);
void append_argument(std::string& to, std::string_view argument);
void append_command(std::string& to, std::initializer_list<std::string_view> arguments);

}  // namespace makegood::redis
