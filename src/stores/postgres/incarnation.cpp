#include "stores/postgres/incarnation.hpp"

#include <fmt/format.h>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/postgres.hpp"
#include "stores/postgres/transaction.hpp"

namespace makegood::postgres {
namespace {

/// A database of a server.
struct Origin {
  std::int64_t system = 0;
  std::int64_t timeline = 0;
  std::optional<std::int64_t> database = {};  ///< Nothing in a record from before databases were told apart.
  bool operator==(const Origin&) const = default;
};

struct Incarnation {
  std::optional<Origin> recorded;
  Origin here;

  /// The recorded one itself, or a standby of it that took over.
  bool is_ours() const {
    return recorded && recorded->system == here.system && recorded->timeline <= here.timeline &&
           (!recorded->database || recorded->database == here.database);
  }
};

Result<Incarnation> read_incarnation(Connection& connection) {
  Rows rows = MAKEGOOD_TRY(connection.query(sql::read_incarnation));
  rows.next();
  const auto origin_at = [&](int column) {
    return Origin{rows.integer(column), rows.integer(column + 1), rows.integer_or_null(column + 2)};
  };
  Incarnation incarnation{.recorded = {}, .here = origin_at(3)};
  if (!rows.is_null(0)) incarnation.recorded = origin_at(0);
  return incarnation;
}

Result<> record_origin(Connection& connection, const Origin& origin) {
  return connection.execute(sql::record_incarnation, origin.system, origin.timeline, origin.database.value_or(0));
}

std::string text_of(const Origin& origin) {
  return fmt::format("{}-{}-{}", origin.system, origin.timeline, origin.database.value_or(0));
}

}  // namespace

Result<std::string> check_incarnation(Connection& connection) {
  const Incarnation incarnation = MAKEGOOD_TRY(read_incarnation(connection));
  const auto& [recorded, here] = incarnation;
  if (!incarnation.is_ours()) {
    return Error{Errc::store_foreign,
                 "This database is a copy; nothing is sent from it. If it is the real one now, run `makegood adopt`.",
                 fmt::format("system, timeline and database {}, recorded {}", text_of(here),
                             recorded ? text_of(*recorded) : "none")};
  }
  if (recorded != here) MAKEGOOD_TRY(record_origin(connection, here));
  return text_of(here);
}

Result<bool> is_copy(std::string_view url, std::string_view outbox) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), identifier));
  return !MAKEGOOD_TRY(read_incarnation(connection)).is_ours();
}

Result<> adopt(std::string_view url, std::string_view outbox) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), identifier));
  auto transaction = MAKEGOOD_TRY(Transaction::begin_write(connection));
  const Incarnation incarnation = MAKEGOOD_TRY(read_incarnation(connection));
  MAKEGOOD_TRY(record_origin(connection, incarnation.here));
  return transaction.commit();
}

}  // namespace makegood::postgres
