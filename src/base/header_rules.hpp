// Which headers a message may bring along, whatever carries it. Checked when it is enqueued by one of our interfaces,
// and again by the transport when it is sent: a row can be written by anybody who may insert.
#pragma once

#include <cstddef>
#include <string_view>

#include "makegood/result.hpp"

namespace makegood {

/// Servers commonly take 8 to 16 KiB of headers in all, ours included.
inline constexpr std::size_t headers_max = 50;
inline constexpr std::size_t header_name_bytes_max = 100;
inline constexpr std::size_t header_value_bytes_max = 4096;
inline constexpr std::size_t headers_bytes_max = 8192;

/// A token of RFC 9110.
bool is_header_name(std::string_view name);
/// For errors: what is no name may be anything, a secret too, and is not told.
std::string_view shown_header_name(std::string_view name);
/// Neither control characters nor DEL: safe in a header, a log line and a terminal.
bool is_printable(std::string_view text);

/// The headers of one message, one after the other.
class HeaderCheck {
 public:
  /// Errc::invalid with what is allowed, and never the value.
  Result<> take(std::string_view name, std::string_view value);

 private:
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace makegood
