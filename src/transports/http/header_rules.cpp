#include "transports/http/header_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace makegood::http {
namespace {

constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr auto reserved_names = std::to_array<std::string_view>({
    // Framing, and what belongs to one hop.
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "te",
    "trailer",
    "upgrade",
    "expect",
    "keep-alive",
    "http2-settings",
    // Ours.
    "content-type",
    "idempotency-key",
    "traceparent",
    "tracestate",
});
constexpr auto credential_names = std::to_array<std::string_view>(
    {"authorization", "proxy-authorization", "cookie", "api-key", "x-api-key", "x-auth-token"});
constexpr auto reserved_beginnings = std::to_array<std::string_view>({"proxy-", "webhook-", "ce-", "makegood-"});

}  // namespace

bool is_same_header(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, {}, lower_case, lower_case);
}

bool is_reserved_header(std::string_view name) {
  const auto is_this = [&](std::string_view reserved) { return is_same_header(name, reserved); };
  const auto begins_so = [&](std::string_view beginning) {
    return is_same_header(name.substr(0, beginning.size()), beginning);
  };
  return std::ranges::any_of(reserved_names, is_this) || std::ranges::any_of(reserved_beginnings, begins_so);
}

bool is_credential_header(std::string_view name) {
  return std::ranges::any_of(credential_names, [&](std::string_view known) { return is_same_header(name, known); });
}

std::optional<std::string> objection_to_name(std::string_view name) {
  if (!is_header_name(name)) {
    return fmt::format("is not the name of a header; allowed: letters, digits and !#$%&'*+-.^_`|~, at most {} bytes",
                       header_name_bytes_max);
  }
  if (is_reserved_header(name)) return "is set by Makegood or by HTTP itself; leave it out";
  return std::nullopt;
}

std::optional<std::string> objection_to_value(std::string_view value) {
  if (is_header_value(value)) return std::nullopt;
  return fmt::format("has a value that cannot be sent; allowed: printable ASCII and spaces, at most {} bytes",
                     header_value_bytes_max);
}

}  // namespace makegood::http
