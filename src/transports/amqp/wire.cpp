#include "transports/amqp/wire.hpp"

#include <charconv>

namespace makegood::amqp {
namespace {

constexpr char frame_end = '\xCE';
constexpr std::size_t frame_head = 7;

void append_number(std::string& to, std::uint64_t value, std::size_t bytes) {
  for (; bytes > 0; --bytes) to += static_cast<char>((value >> ((bytes - 1) * 8)) & 0xFFU);
}

void append_short(std::string& to, std::string_view text) {
  to += static_cast<char>(text.size());
  to += text;
}

void append_long(std::string& to, std::string_view text) {
  append_number(to, text.size(), 4);
  to += text;
}

}  // namespace

Error garbled() { return {Errc::unavailable, "It does not speak AMQP 0.9.1."}; }

Result<std::optional<Frame>> parse_frame(std::string_view bytes, std::size_t frame_bytes_max) {
  if (bytes.size() < frame_head) return std::optional<Frame>();
  FieldReader head(bytes);
  const std::uint8_t kind = head.octet();
  Frame frame{.kind = static_cast<FrameKind>(kind), .channel = head.number16()};
  const std::size_t size = head.number32();
  const bool is_known = kind == 1 || kind == 2 || kind == 3 || kind == 8;
  if (!is_known || size + frame_overhead > frame_bytes_max) {
    return garbled();
  }
  if (bytes.size() < size + frame_overhead) return std::optional<Frame>();
  if (bytes[frame_head + size] != frame_end) return garbled();
  frame.payload = bytes.substr(frame_head, size);
  return std::optional(frame);
}

FrameWriter::FrameWriter(std::string& to, FrameKind kind, std::uint16_t channel) : to_(to), begin_(to.size()) {
  octet(static_cast<std::uint8_t>(kind)).number16(channel).number32(0);
}

FrameWriter::~FrameWriter() {
  std::string size;
  append_number(size, to_.size() - begin_ - frame_head, 4);
  to_.replace(begin_ + 3, size.size(), size);
  to_ += frame_end;
}

FrameWriter& FrameWriter::octet(std::uint8_t value) { return append_number(to_, value, 1), *this; }
FrameWriter& FrameWriter::number16(std::uint16_t value) { return append_number(to_, value, 2), *this; }
FrameWriter& FrameWriter::number32(std::uint32_t value) { return append_number(to_, value, 4), *this; }
FrameWriter& FrameWriter::number64(std::uint64_t value) { return append_number(to_, value, 8), *this; }
FrameWriter& FrameWriter::short_text(std::string_view text) { return append_short(to_, text), *this; }
FrameWriter& FrameWriter::long_text(std::string_view text) { return append_long(to_, text), *this; }
FrameWriter& FrameWriter::raw(std::string_view bytes) { return to_ += bytes, *this; }

Table& Table::text(std::string_view name, std::string_view value) {
  append_short(bytes_, name);
  bytes_ += 'S';
  append_long(bytes_, value);
  return *this;
}

Table& Table::number(std::string_view name, std::uint64_t value) {
  append_short(bytes_, name);
  bytes_ += 'l';
  append_number(bytes_, value, 8);
  return *this;
}

Table& Table::flag(std::string_view name, bool value) {
  append_short(bytes_, name);
  bytes_ += 't';
  append_number(bytes_, value ? 1 : 0, 1);
  return *this;
}

Table& Table::table(std::string_view name, const Table& value) {
  append_short(bytes_, name);
  bytes_ += 'F';
  append_long(bytes_, value.bytes());
  return *this;
}

std::string_view FieldReader::take(std::size_t count) {
  if (bytes_.size() < count) {
    is_sound_ = false;
    bytes_ = {};
    return {};
  }
  const std::string_view taken = bytes_.substr(0, count);
  bytes_.remove_prefix(count);
  return taken;
}

std::uint64_t FieldReader::number(std::size_t bytes) {
  std::uint64_t value = 0;
  for (const char c : take(bytes)) value = (value << 8U) | static_cast<unsigned char>(c);
  return value;
}

std::uint8_t FieldReader::octet() { return static_cast<std::uint8_t>(number(1)); }
std::uint16_t FieldReader::number16() { return static_cast<std::uint16_t>(number(2)); }
std::uint32_t FieldReader::number32() { return static_cast<std::uint32_t>(number(4)); }
std::uint64_t FieldReader::number64() { return number(8); }
std::string_view FieldReader::short_text() { return take(octet()); }
std::string_view FieldReader::long_text() { return take(number32()); }

namespace {

template <class Number>
std::string shown(std::uint64_t bits) {
  return std::to_string(static_cast<Number>(bits));
}

/// One value of a table, as RabbitMQ and its kin write them. False: there is no such type.
bool read_field(FieldReader& fields, char type, std::optional<std::string>& text) {
  switch (type) {
    case 'S':
    case 'x':
      text = fields.long_text();
      return true;
    case 't':
      text = fields.octet() != 0 ? "true" : "false";
      return true;
    case 'b':
      text = shown<std::int8_t>(fields.octet());
      return true;
    case 'B':
      text = shown<std::uint8_t>(fields.octet());
      return true;
    case 's':
      text = shown<std::int16_t>(fields.number16());
      return true;
    case 'u':
      text = shown<std::uint16_t>(fields.number16());
      return true;
    case 'I':
      text = shown<std::int32_t>(fields.number32());
      return true;
    case 'i':
      text = shown<std::uint32_t>(fields.number32());
      return true;
    case 'l':
    case 'L':
      text = shown<std::int64_t>(fields.number64());
      return true;
    case 'T':
    case 'd':
      fields.number64();
      return true;
    case 'f':
      fields.number32();
      return true;
    case 'D':
      fields.octet();
      fields.number32();
      return true;
    case 'A':
    case 'F':
      fields.long_text();
      return true;
    case 'V':
      return true;
    default:
      return false;
  }
}

}  // namespace

Result<> for_each_text(std::string_view table, const TakeText& take) {
  FieldReader fields(table);
  while (fields.is_sound() && !fields.rest().empty()) {
    const std::string_view name = fields.short_text();
    const char type = static_cast<char>(fields.octet());
    std::optional<std::string> text;
    if (!read_field(fields, type, text)) return garbled();
    if (text && fields.is_sound()) take(name, *std::move(text));
  }
  if (!fields.is_sound()) return garbled();
  return {};
}

std::optional<std::uint64_t> number_in_table(std::string_view table, std::string_view name) {
  std::optional<std::uint64_t> number;
  const auto take = [&](std::string_view field, const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (field == name && failed == std::errc() && end == text.data() + text.size()) number = value;
  };
  if (!for_each_text(table, take)) return std::nullopt;
  return number;
}

}  // namespace makegood::amqp
