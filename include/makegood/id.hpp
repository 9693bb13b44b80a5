// Event ids: ULID and UUIDv7, both ordered by time and strictly rising within a process.
#pragma once

#include <string>
#include <string_view>

namespace makegood {

/// 26 characters of Crockford base 32. Thread-safe; each is greater than the one before it in this process.
std::string new_ulid();
/// 36 characters, version 7. Thread-safe; each is greater than the one before it in this process.
std::string new_uuid7();

/// Any UUID (8-4-4-4-12 hexadecimal digits, any version) or any ULID.
bool is_uuid(std::string_view text);
bool is_ulid(std::string_view text);

}  // namespace makegood
