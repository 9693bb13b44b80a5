#include "transports/redis/resp.hpp"

#include <fmt/format.h>

#include <charconv>

namespace makegood::redis {
namespace {

constexpr std::string_view line_end = "\r\n";
constexpr int depth_max = 4;

class Reader {
 public:
  Reader(std::string_view bytes, const ParseLimits& limits) : bytes_(bytes), limits_(limits) {}
  std::size_t position() const { return at_; }

  Result<std::optional<Value>> read(int depth) {
    const std::size_t end = bytes_.find(line_end, at_);
    if (end == std::string_view::npos) {
      if (bytes_.size() - at_ > static_cast<std::size_t>(limits_.bytes_max)) return garbled();
      return std::optional<Value>();
    }
    if (end == at_ || depth > depth_max) return garbled();
    const char type = bytes_[at_];
    const std::string_view line = bytes_.substr(at_ + 1, end - at_ - 1);
    at_ = end + line_end.size();
    if (type == '+') return std::optional(Value{.kind = Value::Kind::text, .text = line});
    if (type == '-') return std::optional(Value{.kind = Value::Kind::error, .text = line});
    const std::int64_t number = MAKEGOOD_TRY(number_in(line));
    if (type == ':') return std::optional(Value{.kind = Value::Kind::number, .number = number});
    if (number == -1 && (type == '$' || type == '*')) return std::optional(Value{});
    if (type == '$') return read_text(number);
    if (type == '*') return read_list(number, depth);
    return garbled();
  }

 private:
  static Result<std::int64_t> number_in(std::string_view digits) {
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (failed != std::errc() || end != digits.data() + digits.size()) return garbled();
    return number;
  }
  Result<std::optional<Value>> read_text(std::int64_t size) {
    if (size < 0 || size > limits_.bytes_max) return garbled();
    const std::size_t length = static_cast<std::size_t>(size);
    if (bytes_.size() - at_ < length + line_end.size()) return std::optional<Value>();
    Value value{.kind = Value::Kind::text, .text = bytes_.substr(at_, length)};
    at_ += length + line_end.size();
    return std::optional(std::move(value));
  }
  Result<std::optional<Value>> read_list(std::int64_t count, int depth) {
    if (count < 0 || count > limits_.items_max) return garbled();
    Value list{.kind = Value::Kind::list};
    for (std::int64_t i = 0; i < count; ++i) {
      auto item = MAKEGOOD_TRY(read(depth + 1));
      if (!item) return std::optional<Value>();
      list.items.push_back(*std::move(item));
    }
    return std::optional(std::move(list));
  }

  const std::string_view bytes_;
  const ParseLimits limits_;
  std::size_t at_ = 0;
};

}  // namespace

Error garbled() { return {Errc::unavailable, "It does not speak the protocol of Redis."}; }

Result<std::optional<Parsed>> parse_value(std::string_view bytes, const ParseLimits& limits) {
  Reader reader(bytes, limits);
  auto value = MAKEGOOD_TRY(reader.read(0));
  if (!value) return std::optional<Parsed>();
  return std::optional(Parsed{.value = *std::move(value), .bytes = reader.position()});
}

void begin_command(std::string& to, std::size_t arguments) { to += fmt::format("*{}\r\n", arguments); }

void append_argument(std::string& to, std::string_view argument) {
  const fmt::format_int size(argument.size());
  to.append("$").append(size.data(), size.size()).append(line_end).append(argument).append(line_end);
}

void append_command(std::string& to, std::initializer_list<std::string_view> arguments) {
  begin_command(to, arguments.size());
  for (const std::string_view argument : arguments) append_argument(to, argument);
}

}  // namespace makegood::redis
