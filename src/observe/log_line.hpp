// How one event is written down, for people and for machines. Always exactly one line.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "makegood/clock.hpp"
#include "makegood/telemetry.hpp"

namespace makegood::observe {

/// A key and a typed value. Views only: it lives as long as the call that logs it.
struct Field {
  using Value = std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool>;

  Field(std::string_view k, std::string_view v) : key(k), value(v) {}
  Field(std::string_view k, const char* v) : key(k), value(std::string_view(v)) {}
  Field(std::string_view k, bool v) : key(k), value(v) {}
  Field(std::string_view k, std::signed_integral auto v) : key(k), value(std::int64_t{v}) {}
  Field(std::string_view k, std::unsigned_integral auto v) : key(k), value(std::uint64_t{v}) {}
  Field(std::string_view k, std::floating_point auto v) : key(k), value(double{v}) {}

  std::string_view key;
  Value value;
};

struct LogEvent {
  TimePoint at;
  LogLevel level = LogLevel::info;
  std::string_view message;
  std::span<const Field> fields = {};
};

/// `2026-01-02T03:04:05.678Z WARN  delivery retried  table=makegood_outbox topic=order.created`
std::string text_line(const LogEvent& event);
/// `{"ts":"2026-01-02T03:04:05.678Z","level":"warn","msg":"delivery retried","table":"makegood_outbox"}`
std::string json_line(const LogEvent& event);

}  // namespace makegood::observe
