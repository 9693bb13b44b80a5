#include "stores/postgres/failure.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include "stores/sql/migrations.hpp"

namespace makegood::postgres {
namespace {

std::string_view field(const PGresult* result, int code) {
  const char* text = PQresultErrorField(result, code);
  return text != nullptr ? std::string_view(text) : std::string_view();
}

std::string one_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// Without the detail, which may quote what a row holds.
std::string diagnostics_of(const PGresult* result) {
  const std::string_view state = state_of(result);
  const std::string_view message = field(result, PG_DIAG_MESSAGE_PRIMARY);
  if (state.empty()) return one_line(PQresultErrorMessage(result));
  return fmt::format("PostgreSQL {}: {}", state, message);
}

/// An SQLSTATE, or the beginning of several, and what it means to us. The first that fits counts.
struct Meaning {
  std::string_view state;
  Errc code;
  std::string_view message;
};

constexpr std::array meanings = {
    // Raised by the functions and triggers of ours; their sentence is told as it is.
    Meaning{"MG010", Errc::fenced, ""},   // A stale claim.
    Meaning{"MG011", Errc::invalid, ""},  // A claim that lacks something.
    Meaning{"MG012", Errc::expired, ""},  // An event that the inbox does not remember.
    Meaning{"MG", Errc::conflict, ""},
    Meaning{"25P02", Errc::not_in_transaction,
            "The transaction has failed already; roll it back, nothing of it will be committed."},
    Meaning{"25006", Errc::store_unavailable, "The server takes no writes; it is a standby, or is set to read only."},
    Meaning{"25P03", Errc::store_unavailable, "The server ended the session, because it was idle for too long."},
    Meaning{"53100", Errc::store_full, "The server's disk is full; make room and try again."},
    Meaning{"53", Errc::store_unavailable, "The server has not enough memory or connections; try again."},
    Meaning{"55P03", Errc::store_unavailable, "A lock is held by another transaction; try again."},
    Meaning{"57014", Errc::store_unavailable, "The server cancelled the statement; try again."},
    Meaning{"57", Errc::store_unavailable, "The server is shutting down or starting up; try again."},
    Meaning{"40", Errc::store_unavailable, "The server ended the transaction in favour of another one; try again."},
    Meaning{"08", Errc::store_unavailable, "The connection to the server was lost; try again."},
    Meaning{"28", Errc::store_unavailable, "The server refused the login; check user and password."},
    Meaning{"42501", Errc::store_unavailable, "The role is not allowed to do this; grant it what the docs list."},
    Meaning{"3D000", Errc::not_found, "There is no such database on the server."},
    Meaning{"23", Errc::conflict, "The row breaks a rule of its table."},
    Meaning{"428C9", Errc::conflict, "The sequence is drawn by the database; leave the column out."},
    Meaning{"22P02", Errc::invalid, "The payload is not valid JSON; what is not JSON belongs into the body."},
    Meaning{"22", Errc::invalid, "A value is not valid for its column."},
    Meaning{"54", Errc::payload_too_large, "The message is larger than PostgreSQL can store."},
    Meaning{"XX001", Errc::store_corrupt, "The database is damaged."},
    Meaning{"XX002", Errc::store_corrupt, "An index of the database is damaged."},
    Meaning{"58", Errc::store_unavailable, "The server could not read or write its files."},
};

}  // namespace

std::string_view state_of(const PGresult* result) { return field(result, PG_DIAG_SQLSTATE); }

Error failure(const PGresult* result) {
  std::string diagnostics = diagnostics_of(result);
  const std::string_view state = state_of(result);
  if (state.empty()) {
    return {Errc::store_unavailable, "The connection to the server was lost; try again.", std::move(diagnostics)};
  }
  for (const Meaning& meaning : meanings) {
    if (!state.starts_with(meaning.state)) continue;
    const std::string_view message = meaning.message.empty() ? field(result, PG_DIAG_MESSAGE_PRIMARY) : meaning.message;
    return {meaning.code, std::string(message), std::move(diagnostics)};
  }
  // Our statements are constants: an error in one of them means that it met other tables than it was written for.
  if (state.starts_with("42") || state.starts_with("3F")) return relational::missing_tables(std::move(diagnostics));
  return {Errc::internal, "The server refused a statement that should be right.", std::move(diagnostics)};
}

Error lost_connection(const PGconn* connection) {
  return {Errc::store_unavailable, "The server cannot be reached, or the connection to it was lost; try again.",
          one_line(connection != nullptr ? PQerrorMessage(connection) : "not connected")};
}

}  // namespace makegood::postgres
