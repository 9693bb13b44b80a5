#include "stores/postgres/incarnation.hpp"

#include <utility>

#include "base/machine.hpp"
#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/postgres.hpp"
#include "stores/postgres/same_server.hpp"
#include "stores/sql/transaction.hpp"

namespace makegood::postgres {
namespace {

/// A copy that waits for its adoption should not keep the original busy with its question.
constexpr Duration ask_interval = std::chrono::seconds(30);

struct FoundTraits {
  RecordedTraits recorded;
  TraitsHere here;
};

Server server_at(const Rows& rows, int column) {
  return {rows.integer(column), rows.integer(column + 1), rows.integer_or_null(column + 2)};
}

Result<std::vector<Place>> read_places(Connection& connection) {
  Rows rows = MAKEGOOD_TRY(connection.query(sql::read_places));
  std::vector<Place> places;
  while (rows.next()) {
    places.push_back(
        {std::string(rows.text(0)), std::string(rows.text(1)), std::string(rows.text(2)), std::string(rows.text(3))});
  }
  return places;
}

Result<FoundTraits> find_traits(Connection& connection, const std::string& environment, const std::string& machine) {
  const Identifier& outbox = connection.outbox();
  Rows rows = MAKEGOOD_TRY(connection.query(sql::read_incarnation, outbox.qualified(""), outbox.qualified("_number")));
  rows.next();
  FoundTraits found;
  if (!rows.is_null(0)) found.recorded.server = server_at(rows, 0);
  found.recorded.environment = rows.text(6);
  if (!rows.is_null(8) && !rows.is_null(9)) {
    found.recorded.log = LogOids{rows.integer(8), rows.integer(9), rows.integer_or_null(12).value_or(0)};
  }
  found.recorded.places = MAKEGOOD_TRY(read_places(connection));
  pg_conn* const session = connection.session().handle();
  found.here = {.server = server_at(rows, 3),
                .environment = environment,
                .place = connected_place(session, machine),
                .configured = configured_places(session, machine),
                .address = std::string(rows.text(7)),
                .log = {.log = rows.integer_or_null(10).value_or(0),
                        .number = rows.integer_or_null(11).value_or(0),
                        .number_file = rows.integer_or_null(13).value_or(0)}};
  return found;
}

/// Whether what is recorded of the other outboxes of the schema stays.
enum class Others { stay, go };

Result<> record_traits(Connection& connection, const RecordedTraits& traits, Others others) {
  Array hosts(Type::text), ports(Type::text), databases(Type::text), machines(Type::text);
  for (const Place& place : traits.places) {
    hosts.add(place.host);
    ports.add(place.port);
    databases.add(place.database);
    machines.add(place.machine);
  }
  const Server& server = *traits.server;
  const LogOids log = traits.log.value_or(LogOids());
  return connection.execute(sql::record_incarnation, server.system, server.timeline, server.database.value_or(0),
                            NullIfEmpty{traits.environment}, hosts, ports, databases, machines, log.log, log.number,
                            others == Others::stay, log.number_file);
}

}  // namespace

IncarnationCheck::IncarnationCheck(std::string environment)
    : environment_(std::move(environment)), machine_(machine_digest()) {}

Result<std::string> IncarnationCheck::check(Connection& connection) {
  is_asking_ = false;
  const auto [recorded, here] = MAKEGOOD_TRY(find_traits(connection, environment_, machine_));
  const Judgement judgement = judge(recorded, here);
  is_asking_ = judgement.is_asking;
  if (judgement.report.is_copy) return copy_error(judgement.report);
  const RecordedTraits complete = completed(recorded, here);
  if (complete != recorded) MAKEGOOD_TRY(record_traits(connection, complete, Others::stay));
  return to_string(here.server);
}

bool IncarnationCheck::should_ask(MonotonicTime now) const {
  return is_asking_ && (!asked_at_ || now - *asked_at_ >= ask_interval);
}

Result<bool> IncarnationCheck::ask(Connection& connection, MonotonicTime now) {
  asked_at_ = now;
  const auto [recorded, here] = MAKEGOOD_TRY(find_traits(connection, environment_, machine_));
  if (!MAKEGOOD_TRY(leads_here(connection, recorded.places, machine_))) return false;
  asked_at_.reset();
  MAKEGOOD_TRY(record_traits(connection, completed(recorded, here), Others::stay));
  return true;
}

Result<OriginReport> examine_origin(std::string_view url, std::string_view outbox, const std::string& environment) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), identifier));
  const std::string machine = machine_digest();
  const auto [recorded, here] = MAKEGOOD_TRY(find_traits(connection, environment, machine));
  Judgement judgement = judge(recorded, here);
  if (!judgement.is_asking) return std::move(judgement.report);
  const bool is_same = MAKEGOOD_TRY(leads_here(connection, recorded.places, machine));
  judgement.report.is_copy = !is_same;
  judgement.report.traits.push_back(
      {.name = "the recorded places",
       .here = is_same ? "lead to this very server" : "do not lead to this server, or are silent",
       .differs = !is_same,
       .is_only_shown = true});
  return std::move(judgement.report);
}

/// Without places: this may be run from elsewhere, and by another way than the relay's. The next owner records its own.
Result<> adopt(std::string_view url, std::string_view outbox, const std::string& environment) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), identifier));
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection));
  const TraitsHere here = MAKEGOOD_TRY(find_traits(connection, environment, {})).here;
  const RecordedTraits adopted{.server = here.server, .environment = environment, .log = here.log};
  MAKEGOOD_TRY(record_traits(connection, adopted, Others::go));
  return transaction.commit();
}

}  // namespace makegood::postgres
