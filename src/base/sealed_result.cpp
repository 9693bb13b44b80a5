#include "base/sealed_result.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/key_rules.hpp"

namespace makegood {
namespace {

constexpr std::string_view mark_begin = R"({"makegood_seal":")";
constexpr std::string_view mark_end = R"("})";

/// What fits below the limit together with its seal.
StoredResult fitted(StoredResult result, std::size_t bytes_max) {
  Snapshot& snapshot = *result.snapshot;
  const auto is_above = [&] { return snapshot.headers.size() + snapshot.body.size() + seal_bytes_max > bytes_max; };
  if (!is_above()) return result;
  result.is_truncated = true;
  snapshot.body.clear();
  if (is_above()) snapshot.headers.clear();
  return result;
}

bool is_to_be_sealed(const StoredResult& result, const ResultStorage& storage) {
  return storage.seal != nullptr && result.snapshot.has_value();
}

}  // namespace

std::string seal_mark(std::string_view key_id) { return fmt::format("{}{}{}", mark_begin, key_id, mark_end); }

std::string_view sealer_of(const Snapshot& snapshot) {
  std::string_view headers = snapshot.headers;
  if (!headers.starts_with(mark_begin) || !headers.ends_with(mark_end)) return {};
  headers.remove_prefix(mark_begin.size());
  headers.remove_suffix(mark_end.size());
  return headers;
}

Result<StoredResult> as_stored(StoredResult result, const IdempotencyKey& key, const ResultStorage& storage) {
  if (!is_to_be_sealed(result, storage)) return bounded(std::move(result), storage.limits);
  result = fitted(std::move(result), storage.limits.snapshot_bytes_max);
  Snapshot& snapshot = *result.snapshot;
  const bool has_content = !snapshot.headers.empty() || !snapshot.body.empty();
  if (has_content) snapshot = MAKEGOOD_TRY(storage.seal->close(snapshot, key));
  return bounded(std::move(result), storage.limits);
}

StoredResult as_given(StoredResult stored, const IdempotencyKey& key, const Seal* seal) {
  if (!stored.snapshot) return stored;
  stored.sealed_by = sealer_of(*stored.snapshot);
  if (stored.sealed_by.empty()) return stored;
  auto opened =
      seal != nullptr
          ? seal->open(*stored.snapshot, key)
          : Result<Snapshot>(
                Error{Errc::config_invalid,
                      fmt::format("The answer is sealed with the key {}, and no seal file is set.", stored.sealed_by)});
  if (opened) {
    stored.snapshot = *std::move(opened);
    return stored;
  }
  stored.unopened = opened.error().message;
  stored.is_truncated = true;
  stored.snapshot = Snapshot{.status = stored.snapshot->status};
  return stored;
}

bool came_from(const StoredResult& given, const StoredResult& result, const ResultStorage& storage) {
  const bool is_sealed = !given.sealed_by.empty();
  const auto expected = bounded(
      is_to_be_sealed(result, storage) ? fitted(result, storage.limits.snapshot_bytes_max) : result, storage.limits);
  if (!expected) return false;
  // The digest of a sealed answer is that of the sealed text, which is another each time.
  const bool has_own_digest = !result.digest.empty() || !is_sealed;
  return given.snapshot == expected->snapshot && given.is_truncated == expected->is_truncated &&
         (!has_own_digest || given.digest == expected->digest);
}

}  // namespace makegood
