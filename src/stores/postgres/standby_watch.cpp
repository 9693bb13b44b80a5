#include "stores/postgres/standby_watch.hpp"

#include <string_view>

namespace makegood::postgres {
namespace {

PQnoticeReceiver receiver_of(PGconn* connection) { return PQsetNoticeReceiver(connection, nullptr, nullptr); }

/// That of a connection to nowhere, which nobody has touched.
PQnoticeReceiver receiver_of_libpq() {
  PGconn* const untouched = PQconnectStart("not=an option");
  const PQnoticeReceiver receiver = receiver_of(untouched);
  PQfinish(untouched);
  return receiver;
}

}  // namespace

StandbyWatch::StandbyWatch(PGconn* connection)
    : connection_(connection), usual_(receiver_of_libpq()), is_listening_(receiver_of(connection) == usual_) {
  if (is_listening_) PQsetNoticeReceiver(connection_, receive, this);
}

StandbyWatch::~StandbyWatch() {
  if (is_listening_) PQsetNoticeReceiver(connection_, usual_, nullptr);
}

/// By the name of the server's function: its words are in the server's language, and its code is that of any warning.
void StandbyWatch::receive(void* watch, const PGresult* notice) {
  auto& self = *static_cast<StandbyWatch*>(watch);
  const char* function = PQresultErrorField(notice, PG_DIAG_SOURCE_FUNCTION);
  if (function != nullptr && std::string_view(function) == "SyncRepWaitForLSN") self.was_given_up_ = true;
  self.usual_(nullptr, notice);
}

}  // namespace makegood::postgres
