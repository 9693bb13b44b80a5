// Whether a COMMIT waited for its standby to the end.
//
// When somebody cancels that wait, the server answers COMMIT as ever and only warns: the commit is on its own disk, and
// a failover may forget it.
#pragma once

#include <libpq-fe.h>

namespace makegood::postgres {

/// While it lives, it listens to a connection of somebody else's, and passes everything on to what that one has set to
/// process notices. Where there is a notice *receiver* of the owner's, it stays: libpq does not tell what belongs to
/// it.
class StandbyWatch {
 public:
  explicit StandbyWatch(PGconn* connection);
  ~StandbyWatch();
  StandbyWatch(const StandbyWatch&) = delete;
  StandbyWatch& operator=(const StandbyWatch&) = delete;

  bool was_given_up() const { return was_given_up_; }

 private:
  static void receive(void* watch, const PGresult* notice);

  PGconn* const connection_;
  const PQnoticeReceiver usual_;  ///< libpq's own, which needs nothing but the notice.
  bool is_listening_;
  bool was_given_up_ = false;
};

}  // namespace makegood::postgres
