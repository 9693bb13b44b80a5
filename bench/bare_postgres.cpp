#include "bench/bare_postgres.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "bench/business.hpp"
#include "makegood/id.hpp"

namespace makegood::bench {
namespace {

constexpr const char* insert_sql =
    "INSERT INTO makegood_outbox (event_id, tenant_id, topic, payload, headers) VALUES ($1, $2, $3, $4, $5)";
constexpr const char* insert_many_sql =
    "INSERT INTO makegood_outbox (event_id, tenant_id, topic, payload, headers)"
    " SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::json[], $5::json[])";
constexpr std::uint32_t text_type = 25;
constexpr std::uint32_t json_type = 114;
constexpr const char* ask_sql = "SELECT EXISTS (SELECT 1 FROM makegood_outbox WHERE sequence > 0)";
constexpr const char* read_sql =
    "SELECT sequence, event_id, tenant_id, topic, dispatch_key, payload, body, content_type, headers, envelope_id,"
    " traceparent, tracestate, priority, created_at, available_at, expires_at"
    " FROM makegood_outbox WHERE sequence > $1 ORDER BY sequence LIMIT $2";
constexpr const char* append_sql =
    "INSERT INTO makegood_outbox_turn (lane, turn, owner, at, lease_until, reached, settled, position)"
    " VALUES (1, $1, 'bare', clock_timestamp(), clock_timestamp(), $2, $2, $3)";
constexpr const char* headers_json = R"({"source":"bench","version":"1"})";
constexpr int columns = 16;

std::int64_t big_endian(const char* bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) number = (number << 8) | static_cast<unsigned char>(bytes[i]);
  return static_cast<std::int64_t>(number);
}

void append(std::string& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
}

/// As PostgreSQL reads an array in its binary form: dimensions, whether there are NULLs, type, size, first index.
std::string array_of(std::uint32_t type, std::span<const std::string> elements) {
  std::string bytes;
  for (const std::uint32_t number : {1U, 0U, type, static_cast<std::uint32_t>(elements.size()), 1U})
    append(bytes, number);
  for (const std::string& element : elements) {
    append(bytes, static_cast<std::uint32_t>(element.size()));
    bytes += element;
  }
  return bytes;
}

}  // namespace

BarePostgres::BarePostgres(const std::string& url) : session_(url) {
  session_.check(PQprepare(session_.handle(), "insert", insert_sql, 0, nullptr));
  session_.check(PQprepare(session_.handle(), "insert_many", insert_many_sql, 0, nullptr));
  session_.check(PQprepare(session_.handle(), "ask", ask_sql, 0, nullptr));
  session_.check(PQprepare(session_.handle(), "read", read_sql, 0, nullptr));
  session_.check(PQprepare(session_.handle(), "append", append_sql, 0, nullptr));
}

void BarePostgres::order(const NewMessage& message, std::size_t count) {
  session_.run("BEGIN");
  session_.run(business_sql);
  insert_all(message, count);
  session_.run("COMMIT");
}

/// A statement is a transaction.
void BarePostgres::insert(const NewMessage& message, std::size_t count) { insert_all(message, count); }

void BarePostgres::insert_all(const NewMessage& message, std::size_t count) {
  count == 1 ? insert_one(message) : insert_many(message, count);
}

void BarePostgres::ask() { session_.check(PQexecPrepared(session_.handle(), "ask", 0, nullptr, nullptr, nullptr, 1)); }

void BarePostgres::insert_one(const NewMessage& message) {
  run_prepared("insert", {new_uuid7(), message.tenant_id, message.topic, message.payload, headers_json});
}

/// Every row is sent whole, as an application would: they only happen to be alike.
void BarePostgres::insert_many(const NewMessage& message, std::size_t count) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < count; ++i) ids.push_back(new_uuid7());
  const auto all = [&](std::uint32_t type, const std::string& text) {
    return array_of(type, std::vector<std::string>(count, text));
  };
  run_prepared("insert_many",
               {array_of(text_type, ids), all(text_type, message.tenant_id), all(text_type, message.topic),
                all(json_type, message.payload), all(json_type, headers_json)});
}

void BarePostgres::run_prepared(const char* name, const std::array<std::string, 5>& values) {
  std::array<const char*, 5> pointers{};
  std::array<int, 5> lengths{};
  constexpr std::array formats = {1, 1, 1, 1, 1};
  std::ranges::transform(values, pointers.begin(), &std::string::c_str);
  std::ranges::transform(values, lengths.begin(),
                         [](const std::string& value) { return static_cast<int>(value.size()); });
  session_.check(
      PQexecPrepared(session_.handle(), name, formats.size(), pointers.data(), lengths.data(), formats.data(), 0));
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
