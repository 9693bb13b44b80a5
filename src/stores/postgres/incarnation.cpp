#include "stores/postgres/incarnation.hpp"

#include <fmt/format.h>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/postgres.hpp"
#include "stores/postgres/transaction.hpp"

namespace makegood::postgres {
namespace {

struct Server {
  std::int64_t system = 0;
  std::int64_t timeline = 0;
  bool operator==(const Server&) const = default;
};

struct Incarnation {
  std::optional<Server> recorded;
  Server here;

  bool is_promoted() const { return recorded && recorded->system == here.system && here.timeline > recorded->timeline; }
  bool is_foreign() const { return recorded != here && !is_promoted(); }
};

Result<Incarnation> read_incarnation(Connection& connection) {
  Rows rows = MAKEGOOD_TRY(connection.query(sql::read_incarnation));
  rows.next();
  Incarnation incarnation{.recorded = {}, .here = {.system = rows.integer(2), .timeline = rows.integer(3)}};
  if (!rows.is_null(0)) incarnation.recorded = {.system = rows.integer(0), .timeline = rows.integer(1)};
  return incarnation;
}

std::string text_of(const Server& server) { return fmt::format("{}-{}", server.system, server.timeline); }

}  // namespace

Result<std::string> check_incarnation(Connection& connection) {
  const Incarnation incarnation = MAKEGOOD_TRY(read_incarnation(connection));
  const Server& here = incarnation.here;
  if (incarnation.is_foreign()) {
    return Error{Errc::store_foreign,
                 "This database is a copy; nothing is sent from it. If it is the real one now, run `makegood adopt`.",
                 fmt::format("system and timeline {}, recorded {}", text_of(here),
                             incarnation.recorded ? text_of(*incarnation.recorded) : "none")};
  }
  if (incarnation.is_promoted()) {
    MAKEGOOD_TRY(connection.execute(sql::record_incarnation, here.system, here.timeline));
  }
  return text_of(here);
}

Result<bool> is_copy(std::string_view url, std::string_view outbox) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), identifier));
  return MAKEGOOD_TRY(read_incarnation(connection)).is_foreign();
}

Result<> adopt(std::string_view url, std::string_view outbox) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), identifier));
  auto transaction = MAKEGOOD_TRY(Transaction::begin_write(connection));
  const Server here = MAKEGOOD_TRY(read_incarnation(connection)).here;
  MAKEGOOD_TRY(connection.execute(sql::record_incarnation, here.system, here.timeline));
  return transaction.commit();
}

}  // namespace makegood::postgres
