// Frames of AMQP 0.9.1: how they are written, and how they are read with suspicion.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "makegood/result.hpp"

namespace makegood::amqp {

/// The other side speaks something else.
Error garbled();

enum class FrameKind : std::uint8_t { method = 1, header = 2, body = 3, heartbeat = 8 };

struct Frame {
  FrameKind kind = FrameKind::method;
  std::uint16_t channel = 0;
  std::string_view payload = {};
};
inline constexpr std::size_t frame_overhead = 8;

/// Nothing: it is not whole yet. An error: it is no frame, or larger than was agreed.
Result<std::optional<Frame>> parse_frame(std::string_view bytes, std::size_t frame_bytes_max);

/// A class and a method in one number: `method_id(60, 40)` is basic.publish.
constexpr std::uint32_t method_id(std::uint16_t of_class, std::uint16_t method) {
  return (std::uint32_t{of_class} << 16U) | method;
}

/// Writes one frame; it is whole when the object ends.
class FrameWriter {
 public:
  FrameWriter(std::string& to, FrameKind kind, std::uint16_t channel);
  ~FrameWriter();
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  FrameWriter& octet(std::uint8_t value);
  FrameWriter& number16(std::uint16_t value);
  FrameWriter& number32(std::uint32_t value);
  FrameWriter& number64(std::uint64_t value);
  FrameWriter& short_text(std::string_view text);  ///< Up to 255 bytes; the caller has looked.
  FrameWriter& long_text(std::string_view text);
  FrameWriter& raw(std::string_view bytes);

 private:
  std::string& to_;
  const std::size_t begin_;
};

/// A table of fields, each a text or a number of 64 bits or a flag.
class Table {
 public:
  Table& text(std::string_view name, std::string_view value);
  Table& number(std::string_view name, std::uint64_t value);
  Table& flag(std::string_view name, bool value);
  Table& table(std::string_view name, const Table& value);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads fields from the front. After the end it gives zeros and empty texts, and is no longer sound.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : bytes_(bytes) {}
  bool is_sound() const { return is_sound_; }
  std::uint8_t octet();
  std::uint16_t number16();
  std::uint32_t number32();
  std::uint64_t number64();
  std::string_view short_text();
  std::string_view long_text();
  std::string_view rest() const { return bytes_; }

 private:
  std::string_view take(std::size_t count);
  std::uint64_t number(std::size_t bytes);

  std::string_view bytes_;
  bool is_sound_ = true;
};

/// The fields of a table that are a text, a number or a flag, each as a text; others are left out. An error: it is no
/// table.
using TakeText = std::function<void(std::string_view name, std::string value)>;
Result<> for_each_text(std::string_view table, const TakeText& take);
/// The number of this name in a table that we have written ourselves, and that came back.
std::optional<std::uint64_t> number_in_table(std::string_view table, std::string_view name);

}  // namespace makegood::amqp
