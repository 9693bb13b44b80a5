// Which headers a destination or a message may bring along. Checked when they are registered and again when they are
// sent: a message brings its own, and a row can be written by anybody who may insert.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace makegood::http {

/// Servers commonly take 8 to 16 KiB of headers in all, ours included.
constexpr std::size_t headers_max = 50;
constexpr std::size_t header_name_bytes_max = 100;
constexpr std::size_t header_value_bytes_max = 4096;
constexpr std::size_t headers_bytes_max = 8192;

/// A token of RFC 9110.
bool is_header_name(std::string_view name);
/// Printable ASCII and spaces. No control character at all, and no byte above 126: nobody agrees on what those mean.
bool is_header_value(std::string_view value);
/// Those that frame the request or belong to one hop, and those that we set ourselves.
bool is_reserved_header(std::string_view name);
/// Those whose value lets others in: they are kept as secrets or not at all.
bool is_credential_header(std::string_view name);
/// Names are the same in upper and lower case.
bool is_same_header(std::string_view left, std::string_view right);
/// Without the spaces around it, which mean nothing in a header.
std::string_view trimmed(std::string_view value);

/// For errors: what is no name may be anything, a secret too, and is not told.
std::string_view shown_header_name(std::string_view name);
/// Why a header cannot be sent, and what is allowed; it reads on from the header's name. Never the value.
std::optional<std::string> objection_to_name(std::string_view name);
std::optional<std::string> objection_to_value(std::string_view value);

}  // namespace makegood::http
