// From rows to keys, and from claims to the JSON that the statements take.
#pragma once

#include <span>

#include "makegood/spi/idempotency_store.hpp"
#include "stores/sql/database.hpp"

namespace makegood::relational {

/// The columns of look_up_keys and list_keys: a place, the clock, and the key, which may be absent.
inline constexpr int place_column = 0;
inline constexpr int now_column = 1;
bool has_key(const Rows& rows);
KeyRecord read_key(const Rows& rows);

/// What is less than a millisecond counts as one.
constexpr std::int64_t milliseconds_of(Duration time) {
  return std::chrono::ceil<std::chrono::milliseconds>(time).count();
}

/// `none`, `snapshot` or `truncated`.
std::string_view kind_of(const StoredResult& result);

/// A claim under the token that it will have.
struct NamedClaim {
  const ClaimRequest& request;
  const std::string& token;
};
std::string json_of(std::span<const NamedClaim> claims);
/// Finishes with results as they are stored.
std::string json_of(std::span<const Finish> finishes);

}  // namespace makegood::relational
