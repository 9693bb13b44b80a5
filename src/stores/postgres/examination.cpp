#include "stores/postgres/examination.hpp"

#include <array>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/connection.hpp"

namespace makegood::postgres {
namespace {

/// What the relay, REST and the command line need; grants.sql grants it.
struct NeededRights {
  std::string_view relation;
  std::array<std::string_view, 4> privileges;
};
constexpr std::array needed_rights = {
    NeededRights{"{outbox}", {"SELECT", "INSERT", "DELETE"}},
    NeededRights{"{outbox}_turn", {"SELECT", "INSERT", "DELETE"}},
    NeededRights{"{outbox}_parked", {"SELECT", "INSERT", "UPDATE", "DELETE"}},
    NeededRights{"{outbox}_request", {"SELECT", "INSERT", "UPDATE", "DELETE"}},
    NeededRights{"{outbox}_kept", {"SELECT", "INSERT", "DELETE"}},
    NeededRights{"{outbox}_route", {"SELECT", "INSERT", "UPDATE", "DELETE"}},
    NeededRights{"{outbox}_number", {"SELECT"}},
    NeededRights{"{schema}makegood_migration", {"SELECT"}},
    NeededRights{"{schema}makegood_store", {"SELECT", "INSERT", "UPDATE"}},
    NeededRights{"{schema}makegood_node", {"SELECT", "INSERT", "UPDATE", "DELETE"}},
    // Where there are such: sources, keys and the inbox, and a log of sagas.
    NeededRights{"{outbox}_source", {"SELECT", "INSERT", "UPDATE", "DELETE"}},
    NeededRights{"{outbox}_source_place", {"SELECT", "INSERT", "UPDATE", "DELETE"}},
    NeededRights{"{schema}makegood_idempotency", {"SELECT", "INSERT", "UPDATE", "DELETE"}},
    NeededRights{"{schema}makegood_inbox", {"SELECT", "INSERT", "UPDATE", "DELETE"}},
    NeededRights{"{schema}makegood_inbox_watermark", {"SELECT", "INSERT", "UPDATE", "DELETE"}},
    NeededRights{"{schema}makegood_saga", {"SELECT", "INSERT", "DELETE"}},
    NeededRights{"{schema}makegood_saga_turn", {"SELECT", "INSERT", "DELETE"}},
    NeededRights{"{schema}makegood_saga_request", {"SELECT", "INSERT", "UPDATE", "DELETE"}},
    NeededRights{"{schema}makegood_saga_journal", {"SELECT", "INSERT", "DELETE"}},
    NeededRights{"{schema}makegood_saga_end", {"SELECT", "INSERT", "DELETE"}},
    NeededRights{"{schema}makegood_saga_waiting", {"SELECT", "INSERT", "UPDATE", "DELETE"}},
    NeededRights{"{schema}makegood_saga_definition", {"SELECT", "INSERT"}},
};

Result<> examine_server(Connection& connection, const Clock& clock, Examination& found) {
  MAKEGOOD_TRY(connection.query(sql::examine_server));  // Prepared, and both sides warm: the second is a round trip.
  const MonotonicTime asked = clock.monotonic();
  const TimePoint here = clock.now();
  Rows server = MAKEGOOD_TRY(connection.query(sql::examine_server));
  found.round_trip = clock.monotonic() - asked;
  server.next();
  found.version = static_cast<int>(server.integer(0));
  found.version_text = server.text(1);
  found.takes_writes = !server.boolean(2) && !server.boolean(3);
  found.is_synchronous = server.text(4) != "off";
  found.prepared_max = static_cast<int>(server.integer(5));
  found.clock_ahead = server.time(6) - (here + found.round_trip / 2);
  found.sees_sessions = server.boolean(7);
  found.database_bytes = server.integer(8);
  return {};
}

Result<> examine_prepared(Connection& connection, Examination& found) {
  Rows oldest = MAKEGOOD_TRY(connection.query(sql::oldest_prepared));
  if (!oldest.next()) return {};
  found.prepared = oldest.text(0);
  found.prepared_at = oldest.time(1);
  return {};
}

Result<> examine_sequence(Connection& connection, Examination& found) {
  Rows cache = MAKEGOOD_TRY(connection.query(sql::examine_sequence, connection.outbox().qualified("_number")));
  if (cache.next()) found.sequence_cache = cache.integer(0);
  return {};
}

Result<> examine_rights(Connection& connection, Examination& found) {
  const Identifier& outbox = connection.outbox();
  Array relations(Type::text);
  Array privileges(Type::text);
  for (const NeededRights& needed : needed_rights) {
    for (const std::string_view privilege : needed.privileges) {
      if (privilege.empty()) continue;
      relations.add(outbox.into(needed.relation));
      privileges.add(privilege);
    }
  }
  Rows missing = MAKEGOOD_TRY(connection.query(sql::missing_rights, relations, privileges));
  while (missing.next()) found.missing_rights.emplace_back(missing.text(0));
  return {};
}

}  // namespace

Result<Examination> examine(std::string_view url, std::string_view outbox, const Clock& clock) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), identifier));
  Examination found{.is_pooled = connection.is_pooled()};
  MAKEGOOD_TRY(examine_server(connection, clock, found));
  MAKEGOOD_TRY(examine_prepared(connection, found));
  MAKEGOOD_TRY(examine_sequence(connection, found));
  MAKEGOOD_TRY(examine_rights(connection, found));
  return found;
}

}  // namespace makegood::postgres
