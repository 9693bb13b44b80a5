#include "stores/sql/key_rows.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "base/base64.hpp"

namespace makegood::relational {
namespace {

enum KeyColumn : int {
  tenant_column_of_key = 2,
  scope_column_of_key,
  name_column_of_key,
  fingerprint_column_of_key,
  state_column_of_key,
  token_column_of_key,
  after_lease_column_of_key,
  lease_until_column_of_key,
  expires_at_column_of_key,
  created_at_column_of_key,
  updated_at_column_of_key,
  ttl_column_of_key,
  claims_column_of_key,
  failure_column_of_key,
  is_final_column_of_key,
  digest_column_of_key,
  kind_column_of_key,
  status_column_of_key,
  headers_column_of_key,
  body_column_of_key,
};

constexpr std::string_view kind_truncated = "truncated";
constexpr std::string_view kind_snapshot = "snapshot";
constexpr std::string_view kind_none = "none";

std::string text_of_key(const Rows& rows, int column) { return std::string(rows.text(column)); }

KeyState key_state_from(std::string_view text) {
  if (text == to_string(KeyState::succeeded)) return KeyState::succeeded;
  return text == to_string(KeyState::failed) ? KeyState::failed : KeyState::in_flight;
}

StoredResult read_stored_result(const Rows& rows) {
  StoredResult result{.digest = text_of_key(rows, digest_column_of_key)};
  const std::string_view kind = rows.text(kind_column_of_key);
  if (kind == kind_none) return result;
  result.is_truncated = kind == kind_truncated;
  result.snapshot = Snapshot{.status = static_cast<int>(rows.integer(status_column_of_key)),
                             .headers = text_of_key(rows, headers_column_of_key),
                             .body = std::string(rows.blob(body_column_of_key))};
  return result;
}

using JsonWriter = rapidjson::Writer<rapidjson::StringBuffer>;

void write_member(JsonWriter& writer, const char* name, std::string_view text) {
  writer.Key(name);
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void write_member(JsonWriter& writer, const char* name, std::int64_t number) {
  writer.Key(name);
  writer.Int64(number);
}

}  // namespace

bool has_key(const Rows& rows) { return !rows.is_null(name_column_of_key); }

KeyRecord read_key(const Rows& rows) {
  const bool is_take_over = rows.text(after_lease_column_of_key) == to_string(AfterLease::take_over);
  return {
      .key = {.tenant_id = text_of_key(rows, tenant_column_of_key),
              .scope = text_of_key(rows, scope_column_of_key),
              .key = text_of_key(rows, name_column_of_key)},
      .fingerprint = text_of_key(rows, fingerprint_column_of_key),
      .state = key_state_from(rows.text(state_column_of_key)),
      .token = text_of_key(rows, token_column_of_key),
      .after_lease = is_take_over ? AfterLease::take_over : AfterLease::hold,
      .lease_until = rows.time(lease_until_column_of_key),
      .expires_at = rows.time(expires_at_column_of_key),
      .created_at = rows.time(created_at_column_of_key),
      .updated_at = rows.time(updated_at_column_of_key),
      .ttl = std::chrono::milliseconds(rows.integer(ttl_column_of_key)),
      .claims = rows.integer(claims_column_of_key),
      .failure = {.code = text_of_key(rows, failure_column_of_key), .is_final = rows.boolean(is_final_column_of_key)},
      .result = read_stored_result(rows)};
}

std::string_view kind_of(const StoredResult& result) {
  if (!result.snapshot) return kind_none;
  return result.is_truncated ? kind_truncated : kind_snapshot;
}

std::string json_of(std::span<const NamedClaim> claims) {
  rapidjson::StringBuffer json;
  JsonWriter writer(json);
  writer.StartArray();
  for (std::int64_t place = 0; const auto& [request, token] : claims) {
    writer.StartObject();
    write_member(writer, "place", place++);
    write_member(writer, "tenant_id", request.key.tenant_id);
    write_member(writer, "scope", request.key.scope);
    write_member(writer, "key", request.key.key);
    write_member(writer, "fingerprint", request.fingerprint);
    write_member(writer, "token", token);
    write_member(writer, "after_lease", to_string(request.after_lease));
    write_member(writer, "ttl_ms", milliseconds_of(request.ttl));
    write_member(writer, "lease_ms", milliseconds_of(request.lease));
    writer.EndObject();
  }
  writer.EndArray();
  return {json.GetString(), json.GetSize()};
}

std::string json_of(std::span<const Finish> finishes) {
  rapidjson::StringBuffer json;
  JsonWriter writer(json);
  writer.StartArray();
  const Snapshot none;
  for (std::int64_t place = 0; const auto& [claim, result] : finishes) {
    const Snapshot& snapshot = result.snapshot ? *result.snapshot : none;
    writer.StartObject();
    write_member(writer, "place", place++);
    write_member(writer, "tenant_id", claim.key.tenant_id);
    write_member(writer, "scope", claim.key.scope);
    write_member(writer, "key", claim.key.key);
    write_member(writer, "token", claim.token);
    write_member(writer, "digest", result.digest);
    write_member(writer, "kind", kind_of(result));
    write_member(writer, "status", std::int64_t{snapshot.status});
    write_member(writer, "headers", snapshot.headers);
    write_member(writer, "body", to_base64(snapshot.body));
    writer.EndObject();
  }
  writer.EndArray();
  return {json.GetString(), json.GetSize()};
}

}  // namespace makegood::relational
