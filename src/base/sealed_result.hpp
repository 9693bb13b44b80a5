// How results of idempotency keys are kept, with a seal or without, and how they are given again.
#pragma once

#include "makegood/idempotency.hpp"

namespace makegood {

/// The headers of a sealed answer are no more than this: which key has sealed it.
std::string seal_mark(std::string_view key_id);
/// Empty: it is not sealed.
std::string_view sealer_of(const Snapshot& snapshot);
/// What sealing adds, at most.
inline constexpr std::size_t seal_bytes_max = 256;

/// As it is stored: bounded, then sealed. An answer of which only the status is left is not sealed.
Result<StoredResult> as_stored(StoredResult result, const IdempotencyKey& key, const ResultStorage& storage);
/// As it was given, if the seal can be opened here.
StoredResult as_given(StoredResult stored, const IdempotencyKey& key, const Seal* seal);
/// Whether what was stored came from this very result.
bool came_from(const StoredResult& given, const StoredResult& result, const ResultStorage& storage);

}  // namespace makegood
