#include "bench/bare_postgres.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "makegood/id.hpp"

namespace makegood::bench {
namespace {

constexpr const char* insert_sql =
    "INSERT INTO makegood_outbox (event_id, tenant_id, topic, payload, headers, content_type)"
    " SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::json[], $5::json[], $6::text[])";
constexpr const char* read_sql =
    "SELECT sequence, event_id, tenant_id, topic, dispatch_key, payload, body, content_type, headers, envelope_id,"
    " traceparent, tracestate, priority, created_at, available_at, expires_at"
    " FROM makegood_outbox WHERE sequence > $1 ORDER BY sequence LIMIT $2";
constexpr const char* append_sql =
    "INSERT INTO makegood_outbox_turn (lane, turn, owner, at, lease_until, reached, settled, position)"
    " VALUES (1, $1, 'bare', clock_timestamp(), clock_timestamp(), $2, $2, $3)";
constexpr int columns = 16;

std::int64_t big_endian(const char* bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) number = (number << 8) | static_cast<unsigned char>(bytes[i]);
  return static_cast<std::int64_t>(number);
}

/// As PostgreSQL writes an array: {"one","two"}.
std::string array_of(const std::vector<std::string>& elements) {
  std::string text;
  for (const std::string& element : elements) {
    text += text.empty() ? "{\"" : ",\"";
    for (const char c : element) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += '"';
  }
  return text + "}";
}
std::string array_of(const std::string& element, std::size_t count) {
  return array_of(std::vector<std::string>(count, element));
}

}  // namespace

BarePostgres::BarePostgres(const std::string& url) : session_(url) {
  session_.check(PQprepare(session_.handle(), "insert", insert_sql, 0, nullptr));
  session_.check(PQprepare(session_.handle(), "read", read_sql, 0, nullptr));
  session_.check(PQprepare(session_.handle(), "append", append_sql, 0, nullptr));
}

/// Every row is sent whole, as an application would: they only happen to be alike.
void BarePostgres::insert(const NewMessage& message, std::size_t count) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < count; ++i) ids.push_back(new_uuid7());
  const std::array<std::string, 6> arrays = {array_of(ids),
                                             array_of(message.tenant_id, count),
                                             array_of(message.topic, count),
                                             array_of(message.payload, count),
                                             array_of(R"({"source":"bench","version":"1"})", count),
                                             array_of("application/json", count)};
  std::array<const char*, arrays.size()> values{};
  std::ranges::transform(arrays, values.begin(), &std::string::c_str);
  session_.run("BEGIN");
  session_.run(business_sql);
  session_.check(PQexecPrepared(session_.handle(), "insert", values.size(), values.data(), nullptr, nullptr, 0));
  session_.run("COMMIT");
}

/// A turn is a transaction, with its read: as few round trips as there can be without a pipeline.
std::size_t BarePostgres::read_and_append(std::size_t count) {
  const std::string reached = std::to_string(reached_);
  const std::string limit = std::to_string(count);
  const std::array<const char*, 2> values = {reached.c_str(), limit.c_str()};
  constexpr int as_binary = 1;
  const auto rows = session_.check(
      PQexecPrepared(session_.handle(), "read", values.size(), values.data(), nullptr, nullptr, as_binary));
  const int found = PQntuples(rows.get());
  std::size_t touched = 0;
  for (int row = 0; row < found; ++row) {
    reached_ = big_endian(PQgetvalue(rows.get(), row, 0));
    for (int column = 1; column < columns; ++column) {
      touched += static_cast<std::size_t>(PQgetlength(rows.get(), row, column));
    }
  }
  if (found > 0 && touched > 0) append_turn();
  return static_cast<std::size_t>(found);
}

void BarePostgres::append_turn() {
  const std::string turn = std::to_string(++turn_);
  const std::string reached = std::to_string(reached_);
  const std::string position = fmt::format(R"({{"reached":{},"open":[],"under_way":{{}}}})", reached_);
  const std::array<const char*, 3> values = {turn.c_str(), reached.c_str(), position.c_str()};
  session_.check(PQexecPrepared(session_.handle(), "append", values.size(), values.data(), nullptr, nullptr, 0));
}

}  // namespace makegood::bench
