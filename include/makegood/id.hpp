// Event ids: ULID and UUIDv7, both ordered by time and strictly rising within their source.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "makegood/clock.hpp"

namespace makegood {

/// Where ids come from: a clock and chance. Thread-safe.
class Ids {
 public:
  /// With the same clock and seed, the same ids.
  Ids(const Clock& clock, std::uint64_t seed);
  ~Ids();
  Ids(const Ids&) = delete;
  Ids& operator=(const Ids&) = delete;

  /// 26 characters of Crockford base 32; each is greater than the one before it.
  std::string new_ulid();
  /// 36 characters, version 7; each is greater than the one before it.
  std::string new_uuid7();

 private:
  class Rising;
  std::unique_ptr<Rising> ulids_;
  std::unique_ptr<Rising> uuids_;
};

/// Those of this process: the machine's clock, and chance of the system.
Ids& process_ids();
std::string new_ulid();
std::string new_uuid7();

/// Any UUID (8-4-4-4-12 hexadecimal digits, any version) or any ULID.
bool is_uuid(std::string_view text);
bool is_ulid(std::string_view text);

}  // namespace makegood
